import type { Chain } from '../chain';
import { ACROSS_MULTICALL_HANDLER, cctp, UNISWAP_V2_LATER_ROUTER, UNISWAP_V3_CANONICAL } from './contract-addresses';
import { CHAIN_LOGOS } from './logos';
import { PRICE_SOURCES } from './price-sources';
import { brla, bridgedUsdc, dai, usdc, usdt, wbtc, weth } from './token-lists';

const ETHER = { name: 'Ether', symbol: 'ETH', decimals: 18 };
/** Wrapped ether of every chain built on the OP stack. */
const OP_STACK_WETH = '0x4200000000000000000000000000000000000006';

export const ethereum: Chain = {
  slug: 'ethereum',
  chainId: 1,
  kind: 'evm',
  name: 'Ethereum',
  nativeCurrency: ETHER,
  explorer: { name: 'Etherscan', url: 'https://etherscan.io' },
  logoURI: CHAIN_LOGOS.ethereum,
  confirmations: 12,
  wrappedNative: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  connectors: [
    '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    '0x6B175474E89094C44Da98b954EedeAC495271d0F',
  ],
  dollarTokens: ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  uniswapV2: {
    factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
    router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
  },
  uniswapV3: UNISWAP_V3_CANONICAL,
  across: { spokePool: '0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5', multicallHandler: ACROSS_MULTICALL_HANDLER },
  cctp: cctp({ domain: 0, fastSource: true }, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  ramps: { primary: 'ETHEREUM' },
  prices: PRICE_SOURCES.ethereum,
  tokens: [
    weth('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
    usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    usdt('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    dai('0x6B175474E89094C44Da98b954EedeAC495271d0F'),
    wbtc('0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
    brla('0xfCB34c47f850f452C15EA1B84d51231C38A61783'),
  ],
};

export const optimism: Chain = {
  slug: 'optimism',
  chainId: 10,
  kind: 'evm',
  name: 'OP Mainnet',
  nativeCurrency: ETHER,
  explorer: { name: 'Optimism Explorer', url: 'https://optimistic.etherscan.io' },
  logoURI: CHAIN_LOGOS.optimism,
  confirmations: 10,
  wrappedNative: OP_STACK_WETH,
  connectors: [
    OP_STACK_WETH,
    '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
    '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
  ],
  dollarTokens: ['0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'],
  uniswapV2: {
    factory: '0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf',
    router: '0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2',
  },
  uniswapV3: UNISWAP_V3_CANONICAL,
  across: { spokePool: '0x6f26Bf09B1C792e3228e5467807a900A503c0281', multicallHandler: ACROSS_MULTICALL_HANDLER },
  cctp: cctp({ domain: 2, fastSource: true }, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
  prices: PRICE_SOURCES.optimism,
  tokens: [
    weth(OP_STACK_WETH),
    usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
    bridgedUsdc('0x7F5c764cBc14f9669B88837ca1490cCa17c31607'),
    usdt('0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
    dai('0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
  ],
};

export const base: Chain = {
  slug: 'base',
  chainId: 8453,
  kind: 'evm',
  name: 'Base',
  nativeCurrency: ETHER,
  explorer: { name: 'Basescan', url: 'https://basescan.org' },
  logoURI: CHAIN_LOGOS.base,
  confirmations: 10,
  wrappedNative: OP_STACK_WETH,
  connectors: [OP_STACK_WETH, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  dollarTokens: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  uniswapV2: { factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6', router: UNISWAP_V2_LATER_ROUTER },
  uniswapV3: {
    factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
    router: '0x2626664c2603336E57B271c5C0b26F421741e481',
    quoter: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
  },
  across: { spokePool: '0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64', multicallHandler: ACROSS_MULTICALL_HANDLER },
  cctp: cctp({ domain: 6, fastSource: true }, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  ramps: { primary: 'BASE', secondary: 'base' },
  prices: PRICE_SOURCES.base,
  tokens: [
    weth(OP_STACK_WETH),
    usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
    bridgedUsdc('0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', 'USDbC'),
    dai('0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb'),
    brla('0xfCB34c47f850f452C15EA1B84d51231C38A61783'),
  ],
};

export const arbitrum: Chain = {
  slug: 'arbitrum',
  chainId: 42161,
  kind: 'evm',
  name: 'Arbitrum One',
  nativeCurrency: ETHER,
  explorer: { name: 'Arbiscan', url: 'https://arbiscan.io' },
  logoURI: CHAIN_LOGOS.arbitrum,
  confirmations: 20,
  wrappedNative: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  connectors: [
    '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
    '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
  ],
  dollarTokens: ['0xaf88d065e77c8cC2239327C5EDb3A432268e5831', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'],
  uniswapV2: { factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9', router: UNISWAP_V2_LATER_ROUTER },
  uniswapV3: UNISWAP_V3_CANONICAL,
  across: { spokePool: '0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A', multicallHandler: ACROSS_MULTICALL_HANDLER },
  cctp: cctp({ domain: 3, fastSource: true }, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  prices: PRICE_SOURCES.arbitrum,
  tokens: [
    weth('0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'),
    usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    bridgedUsdc('0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'),
    usdt('0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
    dai('0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
    wbtc('0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f'),
  ],
};
