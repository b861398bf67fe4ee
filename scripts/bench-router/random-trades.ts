import type { Address } from 'viem';
import type { DevnetChain } from '../../devnet/universe';
import type { QuoteRequest } from '../../src/venues/quote-provider';
import { localRequest, localToken } from '../../test/contract/local-swaps';
import { createRandom } from '../../test/federation/fuzz/random';

/** Approximate price of a token of the local chain in hundredths of a dollar. Used for trade sizes only. */
const CENTS: Readonly<Record<string, bigint>> = {
  ETH: 300_000n,
  WETH: 300_000n,
  WBTC: 9_000_000n,
  BRLA: 18n,
  USDC: 100n,
  USDT: 100n,
  DAI: 100n,
  RUSD: 100n,
};

const SEED = 20_260_301;
/** From 100 dollars to half a million: doubled 12.3 times at most, each size as likely as its double. */
const MIN_CENTS = 10_000;
const DOUBLINGS = 12.3;

/** Generates the same trades on every run: an exact amount of any token for any other. */
export function randomTrades(
  chain: DevnetChain,
  { count, wallet }: { readonly count: number; readonly wallet: Address },
): readonly QuoteRequest[] {
  const random = createRandom(SEED);
  const symbols = Object.keys(CENTS);
  const trades: QuoteRequest[] = [];
  while (trades.length < count) {
    const [tokenIn, tokenOut] = [random.pick(symbols), random.pick(symbols)];
    const cents = BigInt(Math.floor(MIN_CENTS * 2 ** ((DOUBLINGS * random.below(10_000)) / 10_000)));
    // Not a round number: every digit of the amount counts.
    const dust = BigInt(random.below(1_000_000));
    const unit = 10n ** BigInt(localToken(chain, tokenIn).decimals);
    const amount = (cents * unit) / (CENTS[tokenIn] ?? 1n) + dust;
    if (tradedAs(tokenIn) === tradedAs(tokenOut)) continue;
    trades.push(localRequest({ chain, pair: [tokenIn, tokenOut], amount, sender: wallet, recipient: wallet }));
  }
  return trades;
}

const tradedAs = (symbol: string): string => (symbol === 'ETH' ? 'WETH' : symbol);
