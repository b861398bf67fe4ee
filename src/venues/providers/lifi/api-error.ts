import { printableText } from '../../../tokens/printable-text';
import { UpstreamError } from '../../../http/upstream-error';
import { lifiErrorResponse } from './api-schemas';

/** Meaning of an error response of LI.FI. */
export interface LifiApiError {
  /** `invalid`: the request was malformed or cannot be processed. */
  readonly kind: 'amountTooLow' | 'amountTooHigh' | 'noRoute' | 'invalid';
  readonly reason: string;
}

/** Codes caused by the request. The others (1000, 1005, 1006, 1008, 1009, 1010, 1012) are failures of LI.FI. */
const MEANINGS: Readonly<Record<number, 'noRoute' | 'invalid'>> = {
  1001: 'invalid', // FailedToBuildTransactionError
  1002: 'noRoute', // NoQuoteError
  1003: 'noRoute', // NotFoundError
  1004: 'invalid', // NotProcessableError
  1007: 'noRoute', // SlippageError
  1011: 'invalid', // ValidationError
  1013: 'invalid', // MalformedSchema
};

const TOO_MANY = 429;
/** Used when the response has no code. */
const NOT_FOUND = 404;
const NO_QUOTE = 1002;
const REASON_LENGTH = 200;

const TOO_LOW: ReadonlySet<string> = new Set(['AMOUNT_TOO_LOW', 'FEES_HIGHER_THAN_AMOUNT', 'FEES_HGHER_THAN_AMOUNT']);
const TOO_HIGH: ReadonlySet<string> = new Set(['AMOUNT_TOO_HIGH']);

/** Parses an error response about the request; `undefined` when LI.FI is unavailable. */
export function parseApiError(error: unknown): LifiApiError | undefined {
  const { status, body } = error instanceof UpstreamError ? error : {};
  if (status === undefined || status === TOO_MANY || status >= 500) return undefined;
  const { code, message, errors } = lifiErrorResponse.safeParse(body).data ?? { message: '', errors: undefined };
  const meaning = MEANINGS[code ?? (status === NOT_FOUND ? NO_QUOTE : 0)];
  if (meaning === undefined) return undefined;
  const kind = meaning === 'noRoute' ? kindOf(toolCodes(errors)) : meaning;
  return { kind, reason: `LI.FI: ${printableText(message, REASON_LENGTH)}` };
}

/** No tool accepts the amount. There is no route when some tools report it as too low and others as too high. */
function kindOf(codes: readonly string[]): LifiApiError['kind'] {
  const isTooLow = codes.some((code) => TOO_LOW.has(code));
  const isTooHigh = codes.some((code) => TOO_HIGH.has(code));
  if (isTooLow === isTooHigh) return 'noRoute';
  return isTooLow ? 'amountTooLow' : 'amountTooHigh';
}

const MAX_DEPTH = 6;

/** Error codes of the tools: `errors` is a list of them, or `failed` contains lists by route path. */
function toolCodes(errors: unknown, depth = 0): readonly string[] {
  if (typeof errors !== 'object' || errors === null || depth > MAX_DEPTH) return [];
  return Object.entries(errors).flatMap(([key, value]) =>
    key === 'code' && typeof value === 'string' ? [value] : toolCodes(value, depth + 1),
  );
}
