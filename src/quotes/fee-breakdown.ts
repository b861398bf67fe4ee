import { toUsd } from '../money/usd';
import type { Token } from '../tokens/token';
import { type PriceImpact, tradeImpact } from './price-impact';
import type { ProviderFee, ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import type { MarketData } from './market-data';

/** One fee of a trade. `amountRaw` is in base units of the token `symbol`. */
interface FeeLine {
  readonly kind: 'platform' | 'customer' | 'bridgeAndSlippage' | 'paymentRail' | 'gas';
  readonly label: string;
  readonly amountRaw: string;
  readonly decimals: number;
  readonly symbol: string;
  /** The side of the trade that the fee is taken from. */
  readonly asset: 'tokenIn' | 'tokenOut';
  readonly amountInUSD: number | undefined;
  /** True when the amount may be negative, which means a gain. */
  readonly signed: boolean;
}

export interface FeeBreakdown {
  readonly lines: readonly FeeLine[];
  /** The same list under the name that existing clients read. */
  readonly charges: readonly FeeLine[];
  readonly summary: {
    readonly platformFeesTotalInUSD: number;
    /** Sum of the lines of kind `bridgeAndSlippage`, positive for a loss; `undefined` when one of them has no price. */
    readonly bridgeAndSlippageImpactOutUSD: number | undefined;
  };
}

/** Expected cost of the executing transaction. Amounts in wei. */
export interface GasEstimate {
  readonly gasLimit: string;
  readonly feePerGas: string | undefined;
  readonly amountInUSD: number | undefined;
}

export interface Trade {
  readonly request: QuoteRequest;
  readonly offer: Pick<
    ProviderQuote,
    'amountIn' | 'expectedAmountOut' | 'priceImpactBps' | 'gasLimit' | 'fees' | 'nativeFee'
  >;
  readonly market: MarketData;
  /** True when a paymaster pays for the gas. */
  readonly sponsored?: boolean;
}

/** The fees of a trade: price impact, fees of the venue, and gas. The service itself charges nothing. */
export function feeBreakdown(trade: Trade): FeeBreakdown {
  const tradeLines = [impactLine(trade, tradeImpact(trade)), ...venueLines(trade)];
  const gas = gasLine(trade);
  const lines = gas === undefined ? tradeLines : [...tradeLines, gas];
  const summary = { platformFeesTotalInUSD: 0, bridgeAndSlippageImpactOutUSD: impactOf(tradeLines) };
  return { lines, charges: lines, summary };
}

export function gasEstimate({ request, offer, market }: Trade): GasEstimate {
  const { feePerGas, native } = market;
  const { decimals } = request.origin.nativeCurrency;
  return {
    gasLimit: offer.gasLimit.toString(),
    feePerGas: feePerGas?.toString(),
    amountInUSD:
      feePerGas === undefined || native === undefined
        ? undefined
        : toUsd(feePerGas * offer.gasLimit, decimals, native.usd),
  };
}

const impactLine = ({ request, market }: Trade, { lost }: PriceImpact): FeeLine => ({
  kind: 'bridgeAndSlippage',
  label: 'Price impact',
  asset: 'tokenOut',
  signed: true,
  ...amountOf(request.tokenOut, lost, market.tokenOut?.usd),
});

/** The fees of the venue, and the native coin that its call pays. */
function venueLines({ request, offer, market }: Trade): readonly FeeLine[] {
  const fees = (offer.fees ?? []).map(({ kind, label, asset, amount }: ProviderFee) => ({
    kind: kind ?? ('bridgeAndSlippage' as const),
    label,
    asset,
    signed: false,
    ...amountOf(request[asset], amount, market[asset]?.usd),
  }));
  if (offer.nativeFee === undefined || offer.nativeFee === 0n) return fees;
  const native = amountOf(request.origin.nativeCurrency, offer.nativeFee, market.native?.usd);
  const line = { kind: 'bridgeAndSlippage' as const, label: 'Bridge fee', asset: 'tokenIn' as const, signed: false };
  return [...fees, { ...line, ...native }];
}

function gasLine({ request, offer, market, sponsored = false }: Trade): FeeLine | undefined {
  if (market.feePerGas === undefined) return undefined;
  const spent = sponsored ? 0n : market.feePerGas * offer.gasLimit;
  const label = sponsored ? 'Network fee, sponsored' : 'Network fee';
  return {
    kind: 'gas',
    label,
    asset: 'tokenIn',
    signed: false,
    ...amountOf(request.origin.nativeCurrency, spent, market.native?.usd),
  };
}

function amountOf({ decimals, symbol }: Pick<Token, 'decimals' | 'symbol'>, amount: bigint, usd: number | undefined) {
  const amountInUSD = usd === undefined ? undefined : toUsd(amount, decimals, usd);
  return { amountRaw: amount.toString(), decimals, symbol, amountInUSD };
}

const MICROS = 1e6;

function impactOf(lines: readonly FeeLine[]): number | undefined {
  const ofBridges = lines.filter(({ kind }) => kind === 'bridgeAndSlippage');
  const amounts = ofBridges.map(({ amountInUSD }) => amountInUSD);
  if (amounts.includes(undefined)) return undefined;
  return Math.round(amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0) * MICROS) / MICROS;
}
