import type { Token } from '../tokens/token';
import { toUsd } from '../money/usd';
import type { ProviderQuote, QuoteRequest } from './quote-provider';
import type { Market } from './read-market';

/** One cost of a trade. `amountRaw` is in base units of the token with the symbol `symbol`. */
interface FeeLine {
  readonly kind: 'platform' | 'customer' | 'bridgeAndSlippage' | 'paymentRail' | 'gas';
  readonly label: string;
  readonly amountRaw: string;
  readonly decimals: number;
  readonly symbol: string;
  /** The side of the trade that bears it. */
  readonly asset: 'tokenIn' | 'tokenOut';
  readonly amountInUSD: number | undefined;
  /** True when the amount may be negative: a gain. */
  readonly signed: boolean;
}

export interface FeeBreakdown {
  readonly lines: readonly FeeLine[];
  /** The same list, under the name that existing clients read. */
  readonly charges: readonly FeeLine[];
  readonly summary: {
    readonly platformFeesTotalInUSD: number;
    /** Positive is a loss. */
    readonly bridgeAndSlippageImpactOutUSD: number | undefined;
  };
}

/** What the executing transaction is expected to cost. Amounts in wei. */
export interface GasEstimate {
  readonly gasLimit: string;
  readonly feePerGas: string | undefined;
  readonly amountInUSD: number | undefined;
}

export interface Trade {
  readonly request: QuoteRequest;
  readonly offer: Pick<ProviderQuote, 'expectedAmountOut' | 'priceImpactBps' | 'gasLimit'>;
  readonly market: Market;
}

const BPS = 10_000n;

/** What a trade costs beside the price: nothing is taken by the service, so the lines are price impact and gas. */
export function feeBreakdown(trade: Trade): FeeBreakdown {
  const impact = impactLine(trade);
  const gas = gasLine(trade);
  const lines = gas === undefined ? [impact] : [impact, gas];
  const summary = { platformFeesTotalInUSD: 0, bridgeAndSlippageImpactOutUSD: impact.amountInUSD };
  return { lines, charges: lines, summary };
}

export function gasEstimate({ request, offer, market }: Trade): GasEstimate {
  const { feePerGas, nativeUsd } = market;
  const { decimals } = request.origin.nativeCurrency;
  return {
    gasLimit: offer.gasLimit.toString(),
    feePerGas: feePerGas?.toString(),
    amountInUSD:
      feePerGas === undefined || nativeUsd === undefined
        ? undefined
        : toUsd(feePerGas * offer.gasLimit, decimals, nativeUsd),
  };
}

function impactLine({ request: { tokenOut }, offer, market }: Trade): FeeLine {
  // All that arrives is what is left of the amount at the spot price.
  const impactBps = BigInt(Math.min(Math.round(offer.priceImpactBps), 9999));
  const lost = (offer.expectedAmountOut * impactBps) / (BPS - impactBps);
  return {
    ...{ kind: 'bridgeAndSlippage', label: 'Price impact', asset: 'tokenOut', signed: true },
    ...amountOf(tokenOut, lost, market.tokenOutUsd),
  };
}

function gasLine({ request, offer, market }: Trade): FeeLine | undefined {
  if (market.feePerGas === undefined) return undefined;
  const spent = market.feePerGas * offer.gasLimit;
  return {
    ...{ kind: 'gas', label: 'Network fee', asset: 'tokenIn', signed: false },
    ...amountOf(request.origin.nativeCurrency, spent, market.nativeUsd),
  };
}

function amountOf({ decimals, symbol }: Pick<Token, 'decimals' | 'symbol'>, amount: bigint, usd: number | undefined) {
  const amountInUSD = usd === undefined ? undefined : toUsd(amount, decimals, usd);
  return { amountRaw: amount.toString(), decimals, symbol, amountInUSD };
}
