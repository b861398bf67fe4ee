import { isServiceError } from '../../errors/service-error';
import { parseBaseUnits } from '../../money/base-units';
import { divideUp } from '../../money/divide-up';
import { amountRangeError, type Bound } from '../../ramps/amount-errors';
import type { Token } from '../../tokens/token';
import type { ProviderQuote } from '../quote-provider';

/** The leg of an off-ramp between the sold token and the ramp token. */
export interface SoldLeg {
  readonly leg: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut'>;
  readonly tokenIn: Token;
  readonly rampToken: Token;
}

/**
 * The error of a ramp that refuses the amount of its token, with the range in the sold token at the rate of the leg: the
 * minimum rounded up, the maximum down. The bounds themselves count as not allowed, because the ramp may exclude them. Any
 * other error is returned unchanged.
 */
export function rangeInSoldToken(error: unknown, { leg, tokenIn, rampToken }: SoldLeg): unknown {
  if (!isServiceError(error) || error.code !== 'RAMP_AMOUNT_OUT_OF_RANGE') return error;
  const { details } = error;
  // A range of the payout is in fiat, as the request is.
  if (details === undefined || details['currency'] !== rampToken.symbol) return error;
  const { amountIn, expectedAmountOut } = leg;
  const minimum = boundOf(details['minimum'], (units) => divideUp(units * amountIn, expectedAmountOut));
  const maximum = boundOf(details['maximum'], (units) => (units * amountIn) / expectedAmountOut);
  const { decimals, symbol: currency } = tokenIn;
  return amountRangeError({ decimals, currency, minimum, maximum }, error);
}

function boundOf(stated: unknown, convert: (units: bigint) => bigint): Bound | undefined {
  const units = typeof stated === 'string' ? parseBaseUnits(stated) : undefined;
  return units === undefined ? undefined : { units: convert(units), inclusive: false };
}
