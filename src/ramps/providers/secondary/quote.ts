import { type BaseUnits, toBaseUnits } from '../../../money/base-units';
import { amountOutOfRange } from '../../ramp-limits';
import type { RampFee, RampQuote, RampQuoteRequest } from '../../ramp-provider';
import { movementFailure } from './failures';
import { assertWithinAccountLimits } from './account-limits';
import { apiPath, postNumbers, type SecondaryRampApi } from './ramp-api';
import { legParty, type Leg, type Legs, routeLegs } from './ramp-route';
import { quoteResponse, type QuoteResponse, quoteFees, readResponse, unreadable } from './wire';
import { FIAT_DECIMALS, fromWireNumber, toWireNumber } from './wire-amount';

const RATE_DECIMALS = 12;
const ONE_RATE = 10n ** BigInt(RATE_DECIMALS);
/** Between cents and millionths. */
const SCALE = 10_000n;

/** @throws as RampProvider.quote */
export async function quoteRoute(
  api: SecondaryRampApi,
  request: RampQuoteRequest,
  signal: AbortSignal,
): Promise<RampQuote> {
  const legs = routeLegs(api.networks, request.route);
  try {
    const answer = await askQuote(api, { request, legs }, signal);
    const quote = readQuote(answer, { request, legs });
    await assertWithinAccountLimits(api, { request, quote }, signal);
    return { ...quote, execution: { quoteId: answer.id, quotedAt: new Date(api.now()).toISOString() } };
  } catch (error) {
    throw movementFailure('QUOTE', request.route, error);
  }
}

interface Asked {
  readonly request: RampQuoteRequest;
  readonly legs: Legs;
}

async function askQuote(api: SecondaryRampApi, { request, legs }: Asked, signal: AbortSignal): Promise<QuoteResponse> {
  const { side, amount } = request;
  const number = toWireNumber(amount, legs[side].decimals);
  if (number === undefined) throw amountOutOfRange(request.route);
  const end = (which: 'in' | 'out') => ({ ...legParty(legs[which]), amount: which === side ? number : undefined });
  const body = { type: legs.type, sender: end('in'), receiver: end('out') };
  return readResponse(quoteResponse, await postNumbers(api, { path: apiPath('quote'), body }, signal));
}

type Amounts = Pick<RampQuote, 'amountIn' | 'amountOut'>;

function readQuote(answer: QuoteResponse, { request, legs }: Asked): Omit<RampQuote, 'execution'> {
  const { amountIn, amountOut, fees } = amountsOf(answer, { request, legs });
  if (amountIn === undefined || amountOut === undefined) throw unreadable('its quote lacks an amount');
  const exact = request.side === 'in' ? amountIn : amountOut;
  if (exact !== request.amount) throw unreadable('its quote has another amount');
  if (amountIn <= 0n || amountOut <= 0n) throw amountOutOfRange(request.route);
  return { amountIn, amountOut, fees, expiresAt: expiryOf(answer.expires_at) };
}

/** Both amounts are told, or the one that was asked for, or none: then the rate tells the rest. */
function amountsOf(answer: QuoteResponse, { request, legs }: Asked): Partial<Amounts> & Pick<RampQuote, 'fees'> {
  // Of an exact amount out no less is asked for than the ramp takes.
  const direction = request.side === 'out' ? 'up' : 'down';
  const echoed = { in: echoOf(answer.sender, legs.in, direction), out: echoOf(answer.receiver, legs.out) };
  if (echoed[request.side === 'in' ? 'out' : 'in'] !== undefined) {
    const { in: amountIn, out: amountOut } = echoed;
    const told = { ...(amountIn === undefined ? {} : { amountIn }), ...(amountOut === undefined ? {} : { amountOut }) };
    return { ...told, fees: shownFees(answer, legs) };
  }
  const fees = feesOf(answer, legs);
  const byRate = computed(answer, { request, fees });
  return { amountIn: echoed.in ?? byRate.amountIn, amountOut: echoed.out ?? byRate.amountOut, fees };
}

function echoOf(side: QuoteResponse['sender'], leg: Leg, direction?: 'up' | 'down'): BaseUnits | undefined {
  if (side === undefined || side.amount === undefined) return undefined;
  if (side.currency !== undefined && side.currency !== leg.currency) throw unreadable('its quote has another currency');
  return amountOf(side.amount, leg.decimals, direction);
}

function amountOf(value: number | string, decimals: number, direction?: 'up' | 'down'): BaseUnits {
  const amount = fromWireNumber(value, decimals, direction);
  if (amount === undefined) throw unreadable('an amount is invalid');
  return amount;
}

/** Its words for a fee are not passed on. A fee in neither currency is not shown, as it is in the amounts already. */
function feesOf(answer: QuoteResponse, legs: Legs): readonly RampFee[] {
  const fees = readResponse(quoteFees, answer.fees) ?? [];
  const rail = (legs.type === 'on_ramp' ? legs.in : legs.out).payment_rail;
  const label = rail === 'pix' ? 'Pix fee' : 'Wire fee';
  return fees.flatMap((fee): readonly RampFee[] => {
    const asset = sideOf(fee.currency, legs);
    const amount = amountOf(fee.amount, asset === undefined ? FIAT_DECIMALS : legs[asset].decimals);
    return asset === undefined || amount === 0n ? [] : [{ label, asset, amount }];
  });
}

/** Where the amounts are told, they are net of all fees: those that cannot be read are not shown. */
function shownFees(answer: QuoteResponse, legs: Legs): readonly RampFee[] {
  return quoteFees.safeParse(answer.fees).success ? feesOf(answer, legs) : [];
}

/** Fees are of the fiat side where they do not say. */
function sideOf(currency: string | undefined, legs: Legs): 'in' | 'out' | undefined {
  if (currency === undefined) return legs.type === 'on_ramp' ? 'in' : 'out';
  if (currency === legs.in.currency) return 'in';
  return currency === legs.out.currency ? 'out' : undefined;
}

/** Older quotes tell the rate, in fiat for one USDC, and leave the amounts to the reader. Rounded against the customer. */
function computed(
  answer: QuoteResponse,
  { request, fees }: { readonly request: RampQuoteRequest; readonly fees: readonly RampFee[] },
): Amounts {
  const rate = amountOf(answer.commercial_quotation ?? answer.quotation ?? '', RATE_DECIMALS);
  if (rate === 0n) throw unreadable('its rate is zero');
  const sum = (asset: 'in' | 'out') => fees.reduce((all, fee) => (fee.asset === asset ? all + fee.amount : all), 0n);
  const [numerator, denominator] =
    request.route.direction === 'onRamp' ? [SCALE * ONE_RATE, rate] : [rate, SCALE * ONE_RATE];
  const feeOf = { in: sum('in'), out: sum('out') };
  if (request.side === 'in') {
    const amountOut = ((request.amount - feeOf.in) * numerator) / denominator - feeOf.out;
    return { amountIn: request.amount, amountOut: toBaseUnits(amountOut) };
  }
  const amountIn = roundedUp((request.amount + feeOf.out) * denominator, numerator) + feeOf.in;
  return { amountIn: toBaseUnits(amountIn), amountOut: request.amount };
}

const roundedUp = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator;

function expiryOf(value: number | string): Date {
  const isSeconds = typeof value === 'number' || /^\d{9,11}$/.test(value);
  const date = new Date(isSeconds ? Number.parseInt(String(value), 10) * 1000 : value);
  if (Number.isNaN(date.getTime())) throw unreadable('its quote has no expiry');
  return date;
}
