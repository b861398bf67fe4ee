import type { z } from 'zod';
import { type BaseUnits, toBaseUnits } from '../../../money/base-units';
import { remainingLimitError } from '../../amount-errors';
import type { FiatCurrency, RampAccount, AccountLimit, RampRoute } from '../../ramp-provider';
import { rampUnavailable } from './failures';
import type { PrimaryRampApi } from './ramp-api';
import { FIAT_UNIT, readApiAmount } from './api-amount';
import { currencyLimit, limitsResponse, readResponse } from './api-schemas';

type Entry = z.output<typeof currencyLimit>;

/** The entry `*` is the limit of all currencies together, in dollars. */
const CURRENCIES: Readonly<Record<string, FiatCurrency>> = { BRL: 'BRL', USD: 'USD', '*': 'USD' };

/** The limits of an account in the current month. @throws PROVIDER_UNAVAILABLE */
export async function accountLimits(
  api: PrimaryRampApi,
  account: RampAccount,
  signal: AbortSignal,
): Promise<readonly AccountLimit[]> {
  try {
    return await requestAccountLimits(api, account, signal);
  } catch (error) {
    throw rampUnavailable(error);
  }
}

/** Requests the limits of an account in the current month. @throws UpstreamError */
export async function requestAccountLimits(
  { http, now }: PrimaryRampApi,
  { accountId }: RampAccount,
  signal: AbortSignal,
): Promise<readonly AccountLimit[]> {
  const response = await http.get('/v2/account/limits', { subAccountId: accountId }, signal);
  const { blocked, limits } = readResponse(limitsResponse, response).limitInfo;
  const period = { blocked, resetsAt: startOfNextMonth(now()) };
  return limits
    .filter(({ currency }) => CURRENCIES[currency] !== undefined)
    .flatMap((entry) => toAccountLimits(readResponse(currencyLimit, entry), period));
}

interface Period {
  readonly blocked: boolean;
  readonly resetsAt: Date;
}

function toAccountLimits(entry: Entry, { blocked, resetsAt }: Period): AccountLimit[] {
  const currency = CURRENCIES[entry.currency];
  if (currency === undefined) return [];
  const limit = (direction: RampRoute['direction'], max: string, usedAmount: string): AccountLimit => {
    const [maximum, used] = [readApiAmount(max, FIAT_UNIT), readApiAmount(usedAmount, FIAT_UNIT)];
    const remaining = blocked || used > maximum ? 0n : maximum - used;
    return {
      currency,
      rail: currency === 'BRL' ? 'PIX' : undefined,
      direction,
      minimum: undefined,
      maximum,
      period: 'month',
      used,
      remaining: toBaseUnits(remaining),
      resetsAt,
    };
  };
  return [
    limit('onRamp', entry.maxFiatIn, entry.usedLimit?.usedFiatIn ?? '0'),
    limit('offRamp', entry.maxFiatOut, entry.usedLimit?.usedFiatOut ?? '0'),
  ];
}

function startOfNextMonth(now: number): Date {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

interface QuotedPayment {
  readonly route: RampRoute;
  readonly quote: { readonly amountIn: BaseUnits; readonly amountOut: BaseUnits };
}

/**
 * Checks the fiat amount against every limit of its currency. A limit of another currency refuses the payment when it is
 * used up.
 *
 * @throws AMOUNT_EXCEEDS_PROVIDER_LIMIT
 */
export function assertWithinAccountLimits(limits: readonly AccountLimit[], { route, quote }: QuotedPayment): void {
  const { direction, currency } = route;
  const amount = direction === 'onRamp' ? quote.amountIn : quote.amountOut;
  for (const limit of limits) {
    const { remaining } = limit;
    if (limit.direction !== direction || remaining === undefined) continue;
    if (limit.currency === currency ? amount > remaining : remaining === 0n) {
      throw remainingLimitError({ units: remaining, decimals: FIAT_UNIT.decimals, currency: limit.currency });
    }
  }
}
