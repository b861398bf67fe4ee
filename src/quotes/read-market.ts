import { setTimeout as wait } from 'node:timers/promises';
import { NATIVE_TOKEN } from '../chains/addresses';
import type { Token } from '../tokens/token';
import type { QuoteRequest } from './quote-provider';

/** What is known of the market around a trade. For display: a quote is good without it. */
export interface Market {
  /** US dollars for one whole token; `undefined` when no fresh price is known. */
  readonly tokenInUsd: number | undefined;
  readonly tokenOutUsd: number | undefined;
  readonly nativeUsd: number | undefined;
  /** What a transaction sent now on the origin chain is expected to pay for a unit of gas, in wei. */
  readonly feePerGas: bigint | undefined;
}

export interface MarketDeps {
  readonly prices: { priceUsd(token: Token): Promise<{ readonly usd: number } | undefined> };
  readonly rpc: { feeData(chainId: number): Promise<{ readonly expectedFeePerGas: bigint }> };
  /** Longest time to wait for prices and fees, in milliseconds: that of the providers. */
  readonly budgetMs: number;
}

/** Never throws and never takes longer than the budget: what could not be read in time is `undefined`. */
export async function readMarket(deps: MarketDeps, request: QuoteRequest): Promise<Market> {
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
    tokenInUsd: inPrice?.usd,
    tokenOutUsd: outPrice?.usd,
    nativeUsd: nativePrice?.usd,
    feePerGas: fees?.expectedFeePerGas,
  };
}
