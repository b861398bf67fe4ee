import { formatUsd, type MicroUsd, sumUsd, toMicroUsd, usdCost, type UsdPrice } from '../money/usd';
import type { Token } from '../tokens/token';
import { type PriceImpact, tradeImpact } from './price-impact';
import type { ProviderFee, ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import type { MarketData } from './market-data';

/** One fee of a trade. `amountRaw` is in base units of the token `symbol`, US dollars are exact decimals. */
interface FeeLine {
  readonly kind: 'platform' | 'customer' | 'bridgeAndSlippage' | 'paymentRail' | 'gas';
  readonly label: string;
  readonly amountRaw: string;
  readonly decimals: number;
  readonly symbol: string;
  /** The side of the trade that the fee is taken from. */
  readonly asset: 'tokenIn' | 'tokenOut';
  /** Rounded up to a millionth. `undefined` without a price. */
  readonly amountInUSD: string | undefined;
  /** True when the amount may be negative, which means a gain. */
  readonly signed: boolean;
}

export interface FeeBreakdown {
  readonly lines: readonly FeeLine[];
  /** The same list under the name that existing clients read. */
  readonly charges: readonly FeeLine[];
  readonly summary: {
    readonly platformFeesTotalInUSD: string;
    /** Sum of the lines of kind `bridgeAndSlippage`, positive for a loss; `undefined` without their prices or the impact. */
    readonly bridgeAndSlippageImpactOutUSD: string | undefined;
  };
}

/** Expected cost of the executing transaction. Amounts in wei, and in US dollars as an exact decimal, rounded up. */
export interface GasEstimate {
  readonly gasLimit: string;
  readonly feePerGas: string | undefined;
  readonly amountInUSD: string | undefined;
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
  const impact = tradeImpact(trade);
  const tradeFees = [...(impact === undefined ? [] : [impactFee(trade, impact)]), ...venueFees(trade)];
  const gas = gasFee(trade);
  const lines = (gas === undefined ? tradeFees : [...tradeFees, gas]).map(feeLine);
  const summary = {
    platformFeesTotalInUSD: formatUsd(toMicroUsd(0n)),
    bridgeAndSlippageImpactOutUSD: impact === undefined ? undefined : textOf(impactOf(tradeFees)),
  };
  return { lines, charges: lines, summary };
}

export function gasEstimate({ request, offer, market }: Trade): GasEstimate {
  const { feePerGas, native } = market;
  const { decimals } = request.origin.nativeCurrency;
  return {
    gasLimit: offer.gasLimit.toString(),
    feePerGas: feePerGas?.toString(),
    amountInUSD:
      feePerGas === undefined ? undefined : textOf(costOf(feePerGas * offer.gasLimit, decimals, native?.usd)),
  };
}

/** A fee with its cost in US dollars. */
interface Fee extends Omit<FeeLine, 'amountInUSD'> {
  /** `undefined` without a price. */
  readonly cost: MicroUsd | undefined;
}

const feeLine = ({ cost, ...fee }: Fee): FeeLine => ({ ...fee, amountInUSD: textOf(cost) });

const textOf = (cost: MicroUsd | undefined): string | undefined => (cost === undefined ? undefined : formatUsd(cost));

const costOf = (amount: bigint, decimals: number, price: UsdPrice | undefined): MicroUsd | undefined =>
  price === undefined ? undefined : usdCost(amount, decimals, price);

const impactFee = ({ request, market }: Trade, { lost }: PriceImpact): Fee => ({
  kind: 'bridgeAndSlippage',
  label: 'Price impact',
  asset: 'tokenOut',
  signed: true,
  ...amountOf(request.tokenOut, lost, market.tokenOut?.usd),
});

/** The fees of the venue, and the native coin that its call pays. */
function venueFees({ request, offer, market }: Trade): readonly Fee[] {
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

function gasFee({ request, offer, market, sponsored = false }: Trade): Fee | undefined {
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

const amountOf = (
  { decimals, symbol }: Pick<Token, 'decimals' | 'symbol'>,
  amount: bigint,
  price: UsdPrice | undefined,
) => ({ amountRaw: amount.toString(), decimals, symbol, cost: costOf(amount, decimals, price) });

/** The sum of the costs of bridge and slippage; `undefined` when one of them has no price. */
function impactOf(fees: readonly Fee[]): MicroUsd | undefined {
  const costs = fees.filter(({ kind }) => kind === 'bridgeAndSlippage').map(({ cost }) => cost);
  const priced = costs.filter((cost) => cost !== undefined);
  return priced.length === costs.length ? sumUsd(priced) : undefined;
}
