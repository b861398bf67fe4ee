import type { UniswapV3Deployment } from '../chain';

/**
 * Uniswap V3 where its first deployer replayed the same nonces: Ethereum, Optimism, Polygon, Arbitrum.
 *
 * @see https://docs.uniswap.org/contracts/v3/reference/deployments/ethereum-deployments
 */
export const UNISWAP_V3_CANONICAL: UniswapV3Deployment = {
  factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
  router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
  quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
};

/** Router02 of Uniswap V2 where it was deployed last: BNB Chain, Base, Arbitrum, Avalanche. */
export const UNISWAP_V2_LATER_ROUTER = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24';

/**
 * Across' MulticallHandler where it has the same address: everywhere but on Avalanche.
 *
 * @see https://www.npmjs.com/package/@across-protocol/contracts dist/broadcast/deployed-addresses.json, 5.0.27
 */
export const ACROSS_MULTICALL_HANDLER = '0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E';
