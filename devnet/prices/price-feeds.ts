import { type Address, getContractAddress, type Hex, parseUnits, stringToHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { ChainPriceSources } from '../../src/chains/chain';
import { initCode, ownArtifact } from '../artifacts';
import type { ChainExtension } from '../chain-extension';
import type { DevnetSlug } from '../liquidity';
import type { DevnetTokens, TokenSymbol } from '../tokens';

/** Deploys the feeds: public, never send anything of value to it. */
const DEPLOYER = privateKeyToAddress('0xfeed000000000000000000000000000000000000000000000000000000000001');

const FEED_DECIMALS = 8;

/** Dollars for one token, about as the pools have it, as decimal text. */
const FEED_PRICES = { WETH: '3000', USDC: '1', USDT: '1', DAI: '1', WBTC: '90000' } as const satisfies Partial<
  Record<TokenSymbol, string>
>;
const FEED_SYMBOLS = Object.keys(FEED_PRICES) as readonly (keyof typeof FEED_PRICES)[];
/** Tokens that Pyth has a feed of. */
const PYTH_SYMBOLS = ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC'] as const satisfies readonly TokenSymbol[];

const addressOf = (index: number): Address => getContractAddress({ from: DEPLOYER, nonce: BigInt(index) });

/** The feeds have the same addresses on every local chain; the one of the sequencer comes after them. */
export const SEQUENCER_FEED = addressOf(FEED_SYMBOLS.length);

/** Long ago: the sequencer has always been up. */
const SEQUENCER_STARTED_AT = 1n;

/** Chainlink's feeds, and the uptime feed of a rollup's sequencer. */
export const PRICE_FEED_EXTENSION: ChainExtension = {
  name: 'price feeds',
  deployer: DEPLOYER,
  calls: () => [
    ...FEED_SYMBOLS.map((symbol) => ({
      label: `the price feed of ${symbol}`,
      data: aggregator([FEED_DECIMALS, parseUnits(FEED_PRICES[symbol], FEED_DECIMALS), 0n]),
    })),
    { label: "the feed of the sequencer's state", data: aggregator([0, 0n, SEQUENCER_STARTED_AT]) },
  ],
};

const aggregator = (args: readonly [decimals: number, price: bigint, startedAt: bigint]): Hex =>
  initCode(ownArtifact('PriceAggregator'), args);

/** Id of a token's feed at the emulated Pyth. */
export const pythFeedId = (symbol: string): Hex => stringToHex(`${symbol}/USD`, { size: 32 });

/** The price sources of a local chain. Only the second one plays a rollup. */
export const priceSourcesOf = (slug: DevnetSlug, tokens: DevnetTokens): ChainPriceSources => ({
  // The smallest pools of the local chains are part of their prices.
  minPoolDepthUsd: 1000,
  chainlink: {
    ...(slug === 'devnet-l2' ? { sequencerUptimeFeed: SEQUENCER_FEED } : {}),
    feeds: FEED_SYMBOLS.map((symbol, index) => ({
      token: tokens[symbol].address,
      feed: addressOf(index),
      heartbeatSeconds: 3600,
      deviationBps: 50,
    })),
  },
  defiLlama: slug,
  coinGecko: slug,
  pyth: PYTH_SYMBOLS.map((symbol) => ({ token: tokens[symbol].address, id: pythFeedId(symbol) })),
});
