import type { Address } from 'viem';
import { WRAPPED_SOL } from '../addresses';
import type { ChainlinkFeed, ChainPriceSources } from '../chain';

/**
 * Ids of Pyth's feeds in US dollars, as several public repositories state them.
 *
 * @see https://docs.pyth.network/price-feeds/core/price-feeds
 */
const PYTH = {
  ETH: '0xff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace',
  USDC: '0xeaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
  USDT: '0x2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b',
  DAI: '0xb0948a5e5313200c632b51bb5ca32f6de0d36e9950a942d19751e833f70dabfd',
  BNB: '0x2f95862b045670cd22bee3114c39763a4a08beeb663b145d283c31d7d1101c4f',
  POL: '0xffd11c5a1cfd42f80afb2df4d9f264c15f956d68153335374ec10722edd70472',
  AVAX: '0x93da3352f9f1d105fdfe4971cfa80e9dd777bfc5d0f683ebb6e1294b92137bb7',
  SOL: '0xef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d',
  BTC: '0xe62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43',
} as const;

type Seconds = number;
type FeedRow = readonly [token: Address, feed: Address, heartbeat: Seconds];

/** The deviation of ETH / USD on Ethereum, the highest among these feeds. */
const DEVIATION_BPS = 50;

const feeds = (rows: readonly FeedRow[]): readonly ChainlinkFeed[] =>
  rows.map(([token, feed, heartbeatSeconds]) => ({ token, feed, heartbeatSeconds, deviationBps: DEVIATION_BPS }));

const pythFeeds = (ids: Readonly<Record<string, string>>): ChainPriceSources['pyth'] =>
  Object.entries(ids).map(([token, id]) => ({ token, id }));

/**
 * Price sources of the known chains. Feeds have their heartbeat, and rollups the feed of their sequencer. Networks whose
 * heartbeats could not be confirmed have no feeds: a wrong one takes a stale price for a present one.
 *
 * The feeds of sequencers are those of smartcontractkit/hardhat-chainlink, and of several public repositories for Base.
 *
 * @see https://docs.chain.link/data-feeds/price-feeds/addresses
 * @see https://docs.chain.link/data-feeds/l2-sequencer-feeds
 */
export const PRICE_SOURCES = {
  ethereum: {
    // Addresses: npm @chainlink/mcp-server, data/feeds/ethereum.json. Heartbeats: LZeroAnalytics/chainlink-package at a6b1d6f.
    chainlink: {
      feeds: feeds([
        ['0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419', 3600],
        ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6', 86400],
        ['0xdAC17F958D2ee523a2206206994597C13D831ec7', '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D', 86400],
        ['0x6B175474E89094C44Da98b954EedeAC495271d0F', '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9', 3600],
      ]),
    },
    defiLlama: 'ethereum',
    coinGecko: 'ethereum',
    pyth: pythFeeds({
      '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2': PYTH.ETH,
      '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48': PYTH.USDC,
      '0xdAC17F958D2ee523a2206206994597C13D831ec7': PYTH.USDT,
      '0x6B175474E89094C44Da98b954EedeAC495271d0F': PYTH.DAI,
    }),
  },
  optimism: {
    // Addresses: npm @chainlink/mcp-server, data/feeds/optimism.json. Heartbeats: LZeroAnalytics/chainlink-package at a6b1d6f.
    chainlink: {
      sequencerUptimeFeed: '0x371EAD81c9102C9BF4874A9075FFFf170F2Ee389',
      feeds: feeds([
        ['0x4200000000000000000000000000000000000006', '0x13e3Ee699D1909E989722E753853AE30b17e08c5', 1200],
        ['0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', '0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3', 86400],
        ['0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', '0xECef79E109e997bCA29c1c0897ec9d7b03647F5E', 86400],
        ['0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', '0x8dBa75e83DA73cc766A7e5a0ee71F656BAb470d6', 86400],
      ]),
    },
    defiLlama: 'optimism',
    coinGecko: 'optimistic-ethereum',
    pyth: pythFeeds({
      '0x4200000000000000000000000000000000000006': PYTH.ETH,
      '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85': PYTH.USDC,
      '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58': PYTH.USDT,
      '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1': PYTH.DAI,
    }),
  },
  base: {
    // Addresses: npm @chainlink/mcp-server, data/feeds/base.json. Heartbeats: LZeroAnalytics/chainlink-package at a6b1d6f.
    chainlink: {
      sequencerUptimeFeed: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433',
      feeds: feeds([
        ['0x4200000000000000000000000000000000000006', '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', 1200],
        ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B', 86400],
        ['0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', '0x591e79239a7d679378eC8c847e5038150364C78F', 86400],
      ]),
    },
    defiLlama: 'base',
    coinGecko: 'base',
    pyth: pythFeeds({
      '0x4200000000000000000000000000000000000006': PYTH.ETH,
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913': PYTH.USDC,
      '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb': PYTH.DAI,
    }),
  },
  arbitrum: {
    // Addresses: npm @chainlink/mcp-server, data/feeds/arbitrum.json. Heartbeats: LZeroAnalytics/chainlink-package at a6b1d6f.
    chainlink: {
      sequencerUptimeFeed: '0xFdB631F5EE196F0ed6FAa767959853A9F217697D',
      feeds: feeds([
        ['0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', 86400],
        ['0xaf88d065e77c8cC2239327C5EDb3A432268e5831', '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3', 86400],
        ['0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7', 86400],
        ['0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', '0xc5C8E77B397E531B8EC06BFb0048328B30E9eCfB', 86400],
      ]),
    },
    defiLlama: 'arbitrum',
    coinGecko: 'arbitrum-one',
    pyth: pythFeeds({
      '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1': PYTH.ETH,
      '0xaf88d065e77c8cC2239327C5EDb3A432268e5831': PYTH.USDC,
      '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9': PYTH.USDT,
      '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1': PYTH.DAI,
    }),
  },
  bsc: {
    defiLlama: 'bsc',
    coinGecko: 'binance-smart-chain',
    pyth: pythFeeds({
      '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c': PYTH.BNB,
      '0x55d398326f99059fF775485246999027B3197955': PYTH.USDT,
      '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d': PYTH.USDC,
      '0x2170Ed0880ac9A755fd29B2688956BD959F933F8': PYTH.ETH,
    }),
  },
  gnosis: {
    defiLlama: 'xdai',
    coinGecko: 'xdai',
    pyth: pythFeeds({
      '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d': PYTH.DAI,
      '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83': PYTH.USDC,
    }),
  },
  polygon: {
    defiLlama: 'polygon',
    coinGecko: 'polygon-pos',
    pyth: pythFeeds({
      '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270': PYTH.POL,
      '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359': PYTH.USDC,
      '0xc2132D05D31c914a87C6611C10748AEb04B58e8F': PYTH.USDT,
      '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619': PYTH.ETH,
    }),
  },
  avalanche: {
    defiLlama: 'avax',
    coinGecko: 'avalanche',
    pyth: pythFeeds({
      '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7': PYTH.AVAX,
      '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E': PYTH.USDC,
      '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7': PYTH.USDT,
    }),
  },
  celo: {
    defiLlama: 'celo',
    coinGecko: 'celo',
    pyth: pythFeeds({
      '0xcebA9300f2b948710d2653dD7B07f33A8B32118C': PYTH.USDC,
      '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e': PYTH.USDT,
    }),
  },
  solana: {
    defiLlama: 'solana',
    coinGecko: 'solana',
    pyth: pythFeeds({
      [WRAPPED_SOL]: PYTH.SOL,
      EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: PYTH.USDC,
      Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: PYTH.USDT,
    }),
  },
  bitcoin: { pyth: pythFeeds({ BTC: PYTH.BTC }) },
} as const satisfies Record<string, ChainPriceSources>;
