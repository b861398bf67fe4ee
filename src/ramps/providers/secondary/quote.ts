import type { ServiceError } from '../../../errors/service-error';
import { type BaseUnits, toBaseUnits } from '../../../money/base-units';
import { divideUp } from '../../../money/divide-up';
import { amountRangeError, isUnknownRange, unknownRangeError } from '../../amount-errors';
import type { RampFee, RampQuote, RampQuoteRequest } from '../../ramp-provider';
import { refusedAmountError } from '../../refused-amount';
import { fiatSide, routeLimits, unitOf } from '../../route-limits';
import { paymentFailure } from './failures';
import { assertWithinAccountLimits } from './account-limits';
import { apiPath, postNumbers, type SecondaryRampApi } from './ramp-api';
import { sideParty, type RampSide, type RampSides, routeSides } from './route-sides';
import { quoteResponse, type QuoteResponse, quoteFees, readResponse, unreadable } from './api-schemas';
import { FIAT_DECIMALS, fromApiNumber, MAX_API_UNITS, toApiNumber } from './api-amount';

const RATE_DECIMALS = 12;
const ONE_RATE = 10n ** BigInt(RATE_DECIMALS);
/** Millionths in a cent. */
const SCALE = 10_000n;

/** @throws as RampProvider.quote */
export async function quoteRoute(
  api: SecondaryRampApi,
  request: RampQuoteRequest,
  signal: AbortSignal,
): Promise<RampQuote> {
  const sides = routeSides(api.networks, request.route);
  const requestedAt = performance.now();
  try {
    const response = await requestQuote(api, { request, sides }, signal);
    const quote = readQuote(response, { request, sides });
    await assertWithinAccountLimits(api, { request, quote }, signal);
    return { ...quote, execution: { quoteId: response.id, quotedAt: new Date(api.now()).toISOString() } };
  } catch (error) {
    const failure = paymentFailure('QUOTE', error);
    if (!isUnknownRange(failure)) throw failure;
    const exact = { ...request, side: fiatSide(request.route) };
    const quoteFiat = (amount: BaseUnits, shared: AbortSignal) =>
      priceOf(api, { request: { ...exact, amount }, sides }, shared);
    throw await refusedAmountError({ request, requestedAt, ramp: api, quoteFiat }, failure.cause);
  }
}

/** @throws as `quoteRoute` */
async function priceOf(
  api: SecondaryRampApi,
  quoted: QuotedRoute,
  signal: AbortSignal,
): Promise<Omit<RampQuote, 'execution'>> {
  try {
    return readQuote(await requestQuote(api, quoted, signal), quoted);
  } catch (error) {
    throw paymentFailure('QUOTE', error);
  }
}

/** For an amount that loses digits as a JSON number. */
function tooManyDigits({ route, side }: RampQuoteRequest): ServiceError {
  const documented = routeLimits(route)[side];
  const maximum = documented?.maximum ?? { units: MAX_API_UNITS, inclusive: true };
  return amountRangeError({ ...unitOf(route, side), minimum: documented?.minimum, maximum });
}

interface QuotedRoute {
  readonly request: RampQuoteRequest;
  readonly sides: RampSides;
}

async function requestQuote(
  api: SecondaryRampApi,
  { request, sides }: QuotedRoute,
  signal: AbortSignal,
): Promise<QuoteResponse> {
  const { side, amount } = request;
  const number = toApiNumber(amount, sides[side].decimals);
  if (number === undefined) throw tooManyDigits(request);
  const end = (which: 'in' | 'out') => ({ ...sideParty(sides[which]), amount: which === side ? number : undefined });
  const body = { type: sides.type, sender: end('in'), receiver: end('out') };
  return readResponse(quoteResponse, await postNumbers(api, { path: apiPath('quote'), body }, signal));
}

type Amounts = Pick<RampQuote, 'amountIn' | 'amountOut'>;

function readQuote(response: QuoteResponse, { request, sides }: QuotedRoute): Omit<RampQuote, 'execution'> {
  const { amountIn, amountOut, fees } = readAmounts(response, { request, sides });
  if (amountIn === undefined || amountOut === undefined) throw unreadable('its quote lacks an amount');
  const exact = request.side === 'in' ? amountIn : amountOut;
  if (exact !== request.amount) throw unreadable('its quote has another amount');
  if (amountIn <= 0n || amountOut <= 0n) throw unknownRangeError();
  return { amountIn, amountOut, fees, expiresAt: parseExpiry(response.expires_at) };
}

/** Reads both amounts. A response may omit one or both of them: then they are computed from the rate. */
function readAmounts(
  response: QuoteResponse,
  { request, sides }: QuotedRoute,
): Partial<Amounts> & Pick<RampQuote, 'fees'> {
  // Rounds the required input of an exact output up, because the ramp refuses less.
  const direction = request.side === 'out' ? 'up' : 'down';
  const echoed = {
    in: readEchoed(response.sender, sides.in, direction),
    out: readEchoed(response.receiver, sides.out),
  };
  if (echoed[request.side === 'in' ? 'out' : 'in'] !== undefined) {
    const { in: amountIn, out: amountOut } = echoed;
    const amounts = {
      ...(amountIn === undefined ? {} : { amountIn }),
      ...(amountOut === undefined ? {} : { amountOut }),
    };
    return { ...amounts, fees: readOptionalFees(response, sides) };
  }
  const fees = readFees(response, sides);
  const byRate = computeAmounts(response, { request, fees });
  return { amountIn: echoed.in ?? byRate.amountIn, amountOut: echoed.out ?? byRate.amountOut, fees };
}

function readEchoed(echoed: QuoteResponse['sender'], side: RampSide, direction?: 'up' | 'down'): BaseUnits | undefined {
  if (echoed === undefined || echoed.amount === undefined) return undefined;
  if (echoed.currency !== undefined && echoed.currency !== side.currency)
    throw unreadable('its quote has another currency');
  return readAmount(echoed.amount, side.decimals, direction);
}

function readAmount(value: number | string, decimals: number, direction?: 'up' | 'down'): BaseUnits {
  const amount = fromApiNumber(value, decimals, direction);
  if (amount === undefined) throw unreadable('an amount is invalid');
  return amount;
}

/** Labels are the service's own, not the ramp's text. Omits a fee in another currency, which the amounts already include. */
function readFees(response: QuoteResponse, sides: RampSides): readonly RampFee[] {
  const fees = readResponse(quoteFees, response.fees) ?? [];
  const rail = (sides.type === 'on_ramp' ? sides.in : sides.out).payment_rail;
  const label = rail === 'pix' ? 'Pix fee' : 'Wire fee';
  return fees.flatMap((fee): readonly RampFee[] => {
    const asset = sideOf(fee.currency, sides);
    const amount = readAmount(fee.amount, asset === undefined ? FIAT_DECIMALS : sides[asset].decimals);
    return asset === undefined || amount === 0n ? [] : [{ label, asset, amount }];
  });
}

/** Fees of a response with amounts, which are net of all fees: fees in an unknown format are omitted. */
function readOptionalFees(response: QuoteResponse, sides: RampSides): readonly RampFee[] {
  return quoteFees.safeParse(response.fees).success ? readFees(response, sides) : [];
}

/** The side of a fee's currency; the fiat side without one. */
function sideOf(currency: string | undefined, sides: RampSides): 'in' | 'out' | undefined {
  if (currency === undefined) return sides.type === 'on_ramp' ? 'in' : 'out';
  if (currency === sides.in.currency) return 'in';
  return currency === sides.out.currency ? 'out' : undefined;
}

/** Computes the amounts of an older quote, which has only a rate in fiat for one USDC. Rounds against the customer. */
function computeAmounts(
  response: QuoteResponse,
  { request, fees }: { readonly request: RampQuoteRequest; readonly fees: readonly RampFee[] },
): Amounts {
  const rate = readAmount(response.commercial_quotation ?? response.quotation ?? '', RATE_DECIMALS);
  if (rate === 0n) throw unreadable('its rate is zero');
  const sum = (asset: 'in' | 'out') => fees.reduce((all, fee) => (fee.asset === asset ? all + fee.amount : all), 0n);
  const [numerator, denominator] =
    request.route.direction === 'onRamp' ? [SCALE * ONE_RATE, rate] : [rate, SCALE * ONE_RATE];
  const feeOf = { in: sum('in'), out: sum('out') };
  if (request.side === 'in') {
    const amountOut = ((request.amount - feeOf.in) * numerator) / denominator - feeOf.out;
    return { amountIn: request.amount, amountOut: toBaseUnits(amountOut) };
  }
  const amountIn = divideUp((request.amount + feeOf.out) * denominator, numerator) + feeOf.in;
  return { amountIn: toBaseUnits(amountIn), amountOut: request.amount };
}

function parseExpiry(value: number | string): Date {
  const isSeconds = typeof value === 'number' || /^\d{9,11}$/.test(value);
  const date = new Date(isSeconds ? Number.parseInt(String(value), 10) * 1000 : value);
  if (Number.isNaN(date.getTime())) throw unreadable('its quote has no expiry');
  return date;
}
