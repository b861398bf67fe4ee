import { amountRangeError, type Bound, remainingLimitError } from '../../amount-errors';
import type { AccountLimit, RampAccount, RampQuote, RampQuoteRequest } from '../../ramp-provider';
import { customerFailure } from './failures';
import { apiPath, type SecondaryRampApi } from './ramp-api';
import { limits, listOf, readResponse, unreadable, type ApiLimit } from './api-schemas';
import { FIAT_DECIMALS, fromApiNumber } from './api-amount';

/** Requests the limits of an account. @throws SECONDARY_RAMP_API_ERROR */
export async function accountLimits(
  { http }: SecondaryRampApi,
  { accountId }: RampAccount,
  signal: AbortSignal,
): Promise<readonly AccountLimit[]> {
  try {
    const body = await http.get(apiPath('customers', accountId, 'limits'), {}, signal);
    return readResponse(limits, listOf(body)).flatMap(toAccountLimits);
  } catch (error) {
    throw customerFailure('OTHER', error);
  }
}

const RAILS = { pix: 'PIX', wire: 'WIRE', us_wire: 'WIRE' } as const;
const DIRECTIONS = { on_ramp: ['onRamp'], off_ramp: ['offRamp'] } as const;
const PERIODS = ['transaction', 'day', 'month', 'year'] as const;

/** One limit for each direction when the entry has none. Empty for unsupported currencies. */
function toAccountLimits(entry: ApiLimit): readonly AccountLimit[] {
  const { currency, payment_rail = '', type = '', resets_at } = entry;
  if (currency !== 'BRL' && currency !== 'USD') return [];
  const directions = keyOf(DIRECTIONS, type) ?? (['onRamp', 'offRamp'] as const);
  const cents = (value: number | string | undefined) => {
    const amount = value === undefined ? undefined : fromApiNumber(value, FIAT_DECIMALS);
    if (value !== undefined && amount === undefined) throw unreadable('a limit is not an amount');
    return amount;
  };
  return directions.map((direction) => ({
    currency,
    direction,
    rail: keyOf(RAILS, payment_rail.toLowerCase()),
    minimum: cents(entry.minimum),
    maximum: cents(entry.maximum),
    used: cents(entry.used),
    remaining: cents(entry.remaining),
    period: PERIODS.find((period) => period === entry.period) ?? 'transaction',
    resetsAt: dateOf(resets_at),
  }));
}

const keyOf = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

function dateOf(text: string | undefined): Date | undefined {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

interface QuotedPayment {
  readonly request: RampQuoteRequest;
  readonly quote: Pick<RampQuote, 'amountIn' | 'amountOut'>;
}

/**
 * Checks the fiat amount against the limits of the account. Skipped when the limits are unavailable, because the ramp enforces
 * them as well.
 *
 * @throws AMOUNT_EXCEEDS_PROVIDER_LIMIT, RAMP_AMOUNT_OUT_OF_RANGE
 */
export async function assertWithinAccountLimits(
  api: SecondaryRampApi,
  { request, quote }: QuotedPayment,
  signal: AbortSignal,
): Promise<void> {
  const { account, route } = request;
  if (account === undefined) return;
  const fiat = route.direction === 'onRamp' ? quote.amountIn : quote.amountOut;
  const known = await accountLimits(api, account, signal).catch((): readonly AccountLimit[] => []);
  for (const limit of known) {
    if (limit.currency === route.currency && limit.direction === route.direction) assertWithin(limit, fiat);
  }
}

function assertWithin({ currency, minimum, maximum, period, remaining }: AccountLimit, fiat: bigint): void {
  const unit = { decimals: FIAT_DECIMALS, currency };
  if (remaining !== undefined && fiat > remaining) throw remainingLimitError({ ...unit, units: remaining });
  // The maximum of a longer period is that of all its payments.
  const maxUnits = period === 'transaction' ? maximum : remaining;
  const isTooHigh = maxUnits !== undefined && fiat > maxUnits;
  if (isTooHigh || (minimum !== undefined && fiat < minimum)) {
    throw amountRangeError({ ...unit, minimum: inclusive(minimum), maximum: inclusive(maxUnits) });
  }
}

const inclusive = (units: bigint | undefined): Bound | undefined =>
  units === undefined ? undefined : { units, inclusive: true };
