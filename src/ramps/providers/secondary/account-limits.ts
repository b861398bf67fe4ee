import { serviceError } from '../../../errors/service-error';
import { formatBaseUnits } from '../../../money/base-units';
import type { AccountLimit, RampQuote, RampQuoteRequest } from '../../ramp-provider';
import { accountLimits } from './limits';
import type { SecondaryRampApi } from './ramp-api';
import { FIAT_DECIMALS } from './wire-amount';

interface Quoted {
  readonly request: RampQuoteRequest;
  readonly quote: Pick<RampQuote, 'amountIn' | 'amountOut'>;
}

/**
 * What the account may move, in the currency of the bank. Limits that cannot be read hinder nobody: the ramp minds them itself.
 *
 * @throws AMOUNT_EXCEEDS_PROVIDER_LIMIT, RAMP_AMOUNT_OUT_OF_RANGE
 */
export async function assertWithinAccountLimits(
  api: SecondaryRampApi,
  { request, quote }: Quoted,
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
  const inWords = (cents: bigint | undefined): string =>
    cents === undefined ? 'not reported' : `${formatBaseUnits(cents, FIAT_DECIMALS)} ${currency}`;
  if (remaining !== undefined && fiat > remaining) {
    throw serviceError('AMOUNT_EXCEEDS_PROVIDER_LIMIT', { maximum: inWords(remaining) });
  }
  const isTooHigh = period === 'transaction' && maximum !== undefined && fiat > maximum;
  if (isTooHigh || (minimum !== undefined && fiat < minimum)) {
    throw serviceError('RAMP_AMOUNT_OUT_OF_RANGE', { minimum: inWords(minimum), maximum: inWords(maximum) });
  }
}
