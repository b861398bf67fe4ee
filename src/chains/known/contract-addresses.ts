import type { Address } from 'viem';
import type { CctpDeployment, UniswapV3Deployment } from '../chain';

/**
 * Uniswap V3 on the chains where it has the same addresses: Ethereum, Optimism, Polygon, Arbitrum.
 *
 * @see https://docs.uniswap.org/contracts/v3/reference/deployments/ethereum-deployments
 */
export const UNISWAP_V3_CANONICAL: UniswapV3Deployment = {
  factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
  router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
  quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
};

/** Router02 of the later Uniswap V2 deployments: BNB Chain, Base, Arbitrum, Avalanche. */
export const UNISWAP_V2_LATER_ROUTER = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24';

/**
 * Across' MulticallHandler on every chain except Avalanche.
 *
 * @see https://www.npmjs.com/package/@across-protocol/contracts dist/broadcast/deployed-addresses.json, 5.0.27
 */
export const ACROSS_MULTICALL_HANDLER = '0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E';

/**
 * Circle's Cross-Chain Transfer Protocol: version 2 has the same addresses on every EVM chain. A chain with quick finality
 * is no fast source, since it has no use for early attestations.
 *
 * @see https://developers.circle.com/cctp/evm-smart-contracts
 */
export const cctp = (chain: Pick<CctpDeployment, 'domain' | 'fastSource'>, usdc: Address): CctpDeployment => ({
  ...chain,
  tokenMessenger: '0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d',
  messageTransmitter: '0x81D40F21F12A8F0E3252Bccb954D722d4c464B64',
  usdc,
});
