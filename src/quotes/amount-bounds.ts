import { serviceError, type ServiceError } from '../errors/service-error';
import { formatBaseUnits } from '../money/base-units';
import type { Token } from '../tokens/token';

const inWords = (amount: bigint, { decimals, symbol }: Token): string =>
  `${formatBaseUnits(amount, decimals)} ${symbol}`;

/** AMOUNT_IN_TOO_LOW that names the smallest amount that buys anything, in base units of `token`. */
export const amountInTooLow = (minimum: bigint, token: Token): ServiceError =>
  serviceError('AMOUNT_IN_TOO_LOW', { minimum: inWords(minimum, token) });

/** AMOUNT_IN_TOO_HIGH that names about how much the venue can take, in base units of `token`. */
export const amountInTooHigh = (maximum: bigint, token: Token): ServiceError =>
  serviceError('AMOUNT_IN_TOO_HIGH', { maximum: inWords(maximum, token) });
