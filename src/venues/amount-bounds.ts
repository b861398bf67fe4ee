import { serviceError, type ServiceError } from '../errors/service-error';
import { formatBaseUnits } from '../money/base-units';
import type { Token } from '../tokens/token';

const inWords = (amount: bigint, { decimals, symbol }: Token): string =>
  `${formatBaseUnits(amount, decimals)} ${symbol}`;

/** AMOUNT_IN_TOO_LOW that names the smallest amount that buys anything, in base units of `token`. */
export const amountInTooLow = (minimum: bigint, token: Token): ServiceError =>
  serviceError(
    'AMOUNT_IN_TOO_LOW',
    { minimum: inWords(minimum, token) },
    { details: { minimum: minimum.toString(), currency: token.symbol, decimals: token.decimals } },
  );

/** AMOUNT_IN_TOO_HIGH that names about how much the venue can take, in base units of `token`. */
export const amountInTooHigh = (maximum: bigint, token: Token): ServiceError =>
  serviceError(
    'AMOUNT_IN_TOO_HIGH',
    { maximum: inWords(maximum, token) },
    { details: { maximum: maximum.toString(), currency: token.symbol, decimals: token.decimals } },
  );

/**
 * Of refusals because of the amount, the one whose bound is the widest: what the caller has to change least to be served.
 * A refusal that names no bound in its details comes after those that do.
 */
export function widestBound(refusals: readonly ServiceError[]): ServiceError | undefined {
  const [first, ...others] = refusals;
  if (first === undefined) return undefined;
  return others.reduce((best, refusal) => (isWider(refusal, best) ? refusal : best), first);
}

function isWider(refusal: ServiceError, best: ServiceError): boolean {
  const [bound, known] = [boundOf(refusal), boundOf(best)];
  if (bound === undefined || refusal.code !== best.code) return false;
  if (known === undefined) return true;
  return refusal.code === 'AMOUNT_IN_TOO_LOW' ? bound < known : bound > known;
}

function boundOf({ details }: ServiceError): bigint | undefined {
  const bound = details?.['minimum'] ?? details?.['maximum'];
  return typeof bound === 'string' && /^[0-9]{1,78}$/.test(bound) ? BigInt(bound) : undefined;
}
