import { NATIVE_TOKEN } from '../chains/addresses';
import type { UsdPrice } from '../money/usd';
import type { Token } from '../tokens/token';
import type { QuoteRequest } from '../venues/quote-provider';
import { resolveWithin } from '../async/resolve-within';

/** The price of one whole token. */
export interface MarketPrice {
  readonly usd: UsdPrice;
  /** When the price was read. */
  readonly asOf: Date;
  /** `peg`, or the pool as in `uniswap-v3:0x…`. */
  readonly source: string;
}

/**
 * Prices and gas fees. They are shown, and decide which offers are refused: because of their price impact or of a native fee.
 * No amount depends on them. Without prices, an offer is refused only for a large native fee or the impact that its venue reports.
 */
export interface MarketData {
  /** `undefined` without a fresh price. */
  readonly tokenIn: MarketPrice | undefined;
  readonly tokenOut: MarketPrice | undefined;
  /** The native coin of the origin chain. */
  readonly native: MarketPrice | undefined;
  /** Expected price of a unit of gas on the origin chain, in wei. */
  readonly feePerGas: bigint | undefined;
}

export interface MarketDataDeps {
  readonly prices: { priceUsd(token: Token): Promise<MarketPrice | undefined> };
  readonly rpc: { feeData(chainId: number): Promise<{ readonly expectedFeePerGas: bigint }> };
  /** Maximum time to wait for prices and fees, in milliseconds: the budget of the providers. */
  readonly budgetMs: number;
}

/** Reads prices and fees within the budget. Never throws: a value that could not be read in time is `undefined`. */
export async function readMarketData(
  deps: MarketDataDeps,
  request: Pick<QuoteRequest, 'origin' | 'tokenIn' | 'tokenOut'>,
): Promise<MarketData> {
  const { origin, tokenIn, tokenOut } = request;
  const native: Token = {
    chainId: origin.chainId,
    address: NATIVE_TOKEN,
    ...origin.nativeCurrency,
    logoURI: undefined,
  };
  const orUndefined = <Value>(reading: Promise<Value>): Promise<Value | undefined> =>
    resolveWithin(reading, deps.budgetMs).catch(() => undefined);
  const [inPrice, outPrice, nativePrice, fees] = await Promise.all([
    orUndefined(deps.prices.priceUsd(tokenIn)),
    orUndefined(deps.prices.priceUsd(tokenOut)),
    orUndefined(deps.prices.priceUsd(native)),
    orUndefined(deps.rpc.feeData(origin.chainId)),
  ]);
  return {
    tokenIn: inPrice,
    tokenOut: outPrice,
    native: nativePrice,
    feePerGas: fees?.expectedFeePerGas,
  };
}
