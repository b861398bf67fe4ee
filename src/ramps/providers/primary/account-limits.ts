import type { z } from 'zod';
import { serviceError } from '../../../errors/service-error';
import { type BaseUnits, formatBaseUnits, toBaseUnits } from '../../../money/base-units';
import type { FiatCurrency, RampAccount, AccountLimit, RampRoute } from '../../ramp-provider';
import { rampUnavailable } from './failures';
import type { PrimaryRampApi } from './ramp-api';
import { FIAT_UNIT, readWireAmount } from './wire-amount';
import { currencyLimit, limitsResponse, readResponse } from './wire';

type Entry = z.output<typeof currencyLimit>;

/** The entry `*` counts everything, in dollars. */
const CURRENCIES: Readonly<Record<string, FiatCurrency>> = { BRL: 'BRL', USD: 'USD', '*': 'USD' };

/** What an account may still move in this month. @throws PROVIDER_UNAVAILABLE */
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

/** As `accountLimits`. @throws UpstreamError */
export async function requestAccountLimits(
  { http, now }: PrimaryRampApi,
  { accountId }: RampAccount,
  signal: AbortSignal,
): Promise<readonly AccountLimit[]> {
  const answer = await http.get('/v2/account/limits', { subAccountId: accountId }, signal);
  const { blocked, limits } = readResponse(limitsResponse, answer).limitInfo;
  const period = { blocked, resetsAt: nextMonth(now()) };
  return limits
    .filter(({ currency }) => CURRENCIES[currency] !== undefined)
    .flatMap((entry) => limitsIn(readResponse(currencyLimit, entry), period));
}

interface Period {
  readonly blocked: boolean;
  readonly resetsAt: Date;
}

function limitsIn(entry: Entry, { blocked, resetsAt }: Period): AccountLimit[] {
  const currency = CURRENCIES[entry.currency];
  if (currency === undefined) return [];
  const limit = (direction: RampRoute['direction'], most: string, spent: string): AccountLimit => {
    const [maximum, used] = [readWireAmount(most, FIAT_UNIT), readWireAmount(spent, FIAT_UNIT)];
    const left = blocked || used > maximum ? 0n : maximum - used;
    return {
      currency,
      rail: currency === 'BRL' ? 'PIX' : undefined,
      direction,
      minimum: undefined,
      maximum,
      period: 'month',
      used,
      remaining: toBaseUnits(left),
      resetsAt,
    };
  };
  return [
    limit('onRamp', entry.maxFiatIn, entry.usedLimit?.usedFiatIn ?? '0'),
    limit('offRamp', entry.maxFiatOut, entry.usedLimit?.usedFiatOut ?? '0'),
  ];
}

function nextMonth(now: number): Date {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

interface Movement {
  readonly route: RampRoute;
  readonly quote: { readonly amountIn: BaseUnits; readonly amountOut: BaseUnits };
}

/**
 * The fiat side against every entry of its currency; where nothing more may move in dollars at all, reais may not either.
 *
 * @throws AMOUNT_EXCEEDS_PROVIDER_LIMIT
 */
export function assertWithinAccountLimits(limits: readonly AccountLimit[], { route, quote }: Movement): void {
  const { direction, currency } = route;
  const amount = direction === 'onRamp' ? quote.amountIn : quote.amountOut;
  for (const limit of limits) {
    const { remaining } = limit;
    if (limit.direction !== direction || remaining === undefined) continue;
    if (limit.currency === currency ? amount > remaining : remaining === 0n) {
      const maximum = `${formatBaseUnits(remaining, FIAT_UNIT.decimals)} ${limit.currency}`;
      throw serviceError('AMOUNT_EXCEEDS_PROVIDER_LIMIT', { maximum });
    }
  }
}
