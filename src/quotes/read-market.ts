import { setTimeout as wait } from 'node:timers/promises';
import { NATIVE_TOKEN } from '../chains/addresses';
import type { Token } from '../tokens/token';
import type { QuoteRequest } from '../venues/quote-provider';

/** What one whole token costs. */
export interface MarketPrice {
  readonly usd: number;
  /** When it was read. */
  readonly asOf: Date;
  /** `peg`, or the pool as in `uniswap-v3:0x…`. */
  readonly source: string;
}

/** What is known of the market around a trade. For display: a quote is good without it. */
export interface Market {
  /** `undefined` when no fresh price is known. */
  readonly tokenIn: MarketPrice | undefined;
  readonly tokenOut: MarketPrice | undefined;
  /** The native coin of the origin chain. */
  readonly native: MarketPrice | undefined;
  /** What a transaction sent now on the origin chain is expected to pay for a unit of gas, in wei. */
  readonly feePerGas: bigint | undefined;
}

export interface MarketDeps {
  readonly prices: { priceUsd(token: Token): Promise<MarketPrice | undefined> };
  readonly rpc: { feeData(chainId: number): Promise<{ readonly expectedFeePerGas: bigint }> };
  /** Longest time to wait for prices and fees, in milliseconds: that of the providers. */
  readonly budgetMs: number;
}

/** Never throws and never takes longer than the budget: what could not be read in time is `undefined`. */
export async function readMarket(
  deps: MarketDeps,
  request: Pick<QuoteRequest, 'origin' | 'tokenIn' | 'tokenOut'>,
): Promise<Market> {
  const { origin, tokenIn, tokenOut } = request;
  const native: Token = {
    chainId: origin.chainId,
    address: NATIVE_TOKEN,
    ...origin.nativeCurrency,
    logoURI: undefined,
  };
  const late = wait(deps.budgetMs, undefined, { ref: false });
  const ifKnown = <Value>(asked: Promise<Value>): Promise<Value | undefined> =>
    Promise.race([asked.catch(() => undefined), late]);
  const [inPrice, outPrice, nativePrice, fees] = await Promise.all([
    ifKnown(deps.prices.priceUsd(tokenIn)),
    ifKnown(deps.prices.priceUsd(tokenOut)),
    ifKnown(deps.prices.priceUsd(native)),
    ifKnown(deps.rpc.feeData(origin.chainId)),
  ]);
  return {
    tokenIn: inPrice,
    tokenOut: outPrice,
    native: nativePrice,
    feePerGas: fees?.expectedFeePerGas,
  };
}
