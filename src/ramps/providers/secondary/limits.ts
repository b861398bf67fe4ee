import type { RampAccount, AccountLimit } from '../../ramp-provider';
import { customerFailure } from './failures';
import { apiPath, type SecondaryRampApi } from './ramp-api';
import { limits, listOf, readResponse, unreadable, type WireLimit } from './wire';
import { FIAT_DECIMALS, fromWireNumber } from './wire-amount';

/** @throws SECONDARY_RAMP_API_ERROR */
export async function accountLimits(
  { http }: SecondaryRampApi,
  { accountId }: RampAccount,
  signal: AbortSignal,
): Promise<readonly AccountLimit[]> {
  try {
    const body = await http.get(apiPath('customers', accountId, 'limits'), {}, signal);
    return readResponse(limits, listOf(body)).flatMap(limitOf);
  } catch (error) {
    throw customerFailure('OTHER', error);
  }
}

const RAILS = { pix: 'PIX', wire: 'WIRE', us_wire: 'WIRE' } as const;
const DIRECTIONS = { on_ramp: ['onRamp'], off_ramp: ['offRamp'] } as const;
const PERIODS = ['transaction', 'day', 'month', 'year'] as const;

/** One for each direction where it does not say which; none for a currency that is not ours. */
function limitOf(entry: WireLimit): readonly AccountLimit[] {
  const { currency, payment_rail = '', type = '', resets_at } = entry;
  if (currency !== 'BRL' && currency !== 'USD') return [];
  const directions = keyOf(DIRECTIONS, type) ?? (['onRamp', 'offRamp'] as const);
  const cents = (value: number | string | undefined) => {
    const amount = value === undefined ? undefined : fromWireNumber(value, FIAT_DECIMALS);
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
    period: PERIODS.find((known) => known === entry.period) ?? 'transaction',
    resetsAt: dateOf(resets_at),
  }));
}

const keyOf = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

function dateOf(text: string | undefined): Date | undefined {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}
