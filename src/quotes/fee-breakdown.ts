import { toUsd } from '../money/usd';
import type { Token } from '../tokens/token';
import { type Impact, tradeImpact } from './price-impact';
import type { ProviderFee, ProviderQuote, QuoteRequest } from '../venues/quote-provider';
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
    /** Positive is a loss: the sum of the lines of kind `bridgeAndSlippage`; `undefined` when one of them has no price. */
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
  readonly offer: Pick<
    ProviderQuote,
    'amountIn' | 'expectedAmountOut' | 'priceImpactBps' | 'gasLimit' | 'fees' | 'nativeFee'
  >;
  readonly market: Market;
  /** True when somebody else pays for the gas. */
  readonly sponsored?: boolean;
}

/** What a trade costs beside the price: nothing is taken by the service; the venue, the pools and the network take theirs. */
export function feeBreakdown(trade: Trade): FeeBreakdown {
  const taken = [impactLine(trade, tradeImpact(trade)), ...venueLines(trade)];
  const gas = gasLine(trade);
  const lines = gas === undefined ? taken : [...taken, gas];
  const summary = { platformFeesTotalInUSD: 0, bridgeAndSlippageImpactOutUSD: impactOf(taken) };
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

const impactLine = ({ request, market }: Trade, { lost }: Impact): FeeLine => ({
  kind: 'bridgeAndSlippage',
  label: 'Price impact',
  asset: 'tokenOut',
  signed: true,
  ...amountOf(request.tokenOut, lost, market.tokenOut?.usd),
});

/** What the venue charges: its fees, and the native coin that goes along with its call. */
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
