import { serviceError, type ServiceError } from '../errors/service-error';
import { formatBaseUnits, parseBaseUnits } from '../money/base-units';
import type { Token } from '../tokens/token';

const formatTokenAmount = (amount: bigint, { decimals, symbol }: Token): string =>
  `${formatBaseUnits(amount, decimals)} ${symbol}`;

/** AMOUNT_IN_TOO_LOW that names the minimum amount, in base units of `token`. */
export const amountInTooLow = (minimum: bigint, token: Token): ServiceError =>
  serviceError(
    'AMOUNT_IN_TOO_LOW',
    { minimum: `~${formatTokenAmount(minimum, token)}` },
    { details: { minimum: minimum.toString(), currency: token.symbol, decimals: token.decimals } },
  );

/** AMOUNT_IN_TOO_HIGH that names the approximate maximum amount, in base units of `token`. */
export const amountInTooHigh = (maximum: bigint, token: Token): ServiceError =>
  serviceError(
    'AMOUNT_IN_TOO_HIGH',
    { maximum: `~${formatTokenAmount(maximum, token)}` },
    { details: { maximum: maximum.toString(), currency: token.symbol, decimals: token.decimals } },
  );

/**
 * The amount error with the widest bound: the smallest change of the amount that gets a quote. Errors without a bound in their
 * details come last. The first error wins among bounds of different codes, which cannot be compared.
 */
export function widestBound(errors: readonly ServiceError[]): ServiceError | undefined {
  const [first, ...others] = errors;
  if (first === undefined) return undefined;
  return others.reduce((best, error) => (isWider(error, best) ? error : best), first);
}

function isWider(error: ServiceError, best: ServiceError): boolean {
  const [bound, bestBound] = [boundOf(error), boundOf(best)];
  if (bound === undefined) return false;
  if (bestBound === undefined) return true;
  if (error.code !== best.code) return false;
  return error.code === 'AMOUNT_IN_TOO_LOW' ? bound < bestBound : bound > bestBound;
}

function boundOf({ details }: ServiceError): bigint | undefined {
  const bound = details?.['minimum'] ?? details?.['maximum'];
  return typeof bound === 'string' ? parseBaseUnits(bound) : undefined;
}
