import { serviceError, type ServiceError } from '../errors/service-error';
import { formatBaseUnits } from '../money/base-units';

/** A limit of an amount, in its smallest unit. */
export interface Bound {
  readonly units: bigint;
  /** True when the bound itself is allowed. */
  readonly inclusive: boolean;
}

/** The unit of an amount: a fiat currency or the symbol of a token, and its decimals. */
export interface AmountUnit {
  readonly decimals: number;
  readonly currency: string;
}

/** The range of an amount. An unknown bound is `undefined`. */
interface AmountBounds extends AmountUnit {
  readonly minimum: Bound | undefined;
  readonly maximum: Bound | undefined;
}

/** `~5 BRL`, or `more than 1 USDC` for a bound that is not allowed itself. */
export const minimumText = ({ units, inclusive }: Bound, unit: AmountUnit): string =>
  `${inclusive ? '~' : 'more than '}${withCurrency(units, unit)}`;

/** `~5 BRL`, or `less than 20000 USDC` for a bound that is not allowed itself. */
export const maximumText = ({ units, inclusive }: Bound, unit: AmountUnit): string =>
  `${inclusive ? '~' : 'less than '}${withCurrency(units, unit)}`;

const withCurrency = (units: bigint, { decimals, currency }: AmountUnit): string =>
  `${formatBaseUnits(units, decimals)} ${currency}`;

/** RAMP_AMOUNT_OUT_OF_RANGE with `details` {minimum, maximum, currency} in the smallest unit. Unknown bounds are left out. */
export function amountRangeError({ minimum, maximum, ...unit }: AmountBounds, cause?: unknown): ServiceError {
  const texts = [
    ...(minimum === undefined ? [] : [`min ${minimumText(minimum, unit)}`]),
    ...(maximum === undefined ? [] : [`max ${maximumText(maximum, unit)}`]),
  ];
  if (texts.length === 0) return unknownRangeError(cause);
  const details = {
    ...(minimum === undefined ? {} : { minimum: minimum.units.toString() }),
    ...(maximum === undefined ? {} : { maximum: maximum.units.toString() }),
    currency: unit.currency,
  };
  return serviceError('RAMP_AMOUNT_OUT_OF_RANGE', { range: texts.join(', ') }, { details, cause });
}

/** RAMP_AMOUNT_OUT_OF_RANGE for a ramp that refuses an amount and does not report its range. */
export const unknownRangeError = (cause?: unknown): ServiceError =>
  serviceError('RAMP_AMOUNT_OUT_OF_RANGE', { range: NOT_REPORTED }, { cause });

/** True for an error of `unknownRangeError`. */
export const isUnknownRange = ({ code, details }: ServiceError): boolean =>
  code === 'RAMP_AMOUNT_OUT_OF_RANGE' && details === undefined;

/**
 * AMOUNT_EXCEEDS_PROVIDER_LIMIT with `details` {maximum, currency} in the smallest unit. `remaining` is `undefined` when the
 * ramp does not report it.
 */
export function remainingLimitError(
  remaining: (AmountUnit & Pick<Bound, 'units'>) | undefined,
  cause?: unknown,
): ServiceError {
  if (remaining === undefined) return serviceError('AMOUNT_EXCEEDS_PROVIDER_LIMIT', { bound: NOT_REPORTED }, { cause });
  const { units, currency } = remaining;
  const details = { maximum: units.toString(), currency };
  const bound = `max ~${withCurrency(units, remaining)}`;
  return serviceError('AMOUNT_EXCEEDS_PROVIDER_LIMIT', { bound }, { details, cause });
}

const NOT_REPORTED = 'the ramp does not report it';
