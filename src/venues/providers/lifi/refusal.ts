import { printableText } from '../../../tokens/printable-text';
import { UpstreamError } from '../../../http/upstream-error';
import { refusal } from './wire';

/** What LI.FI means by a refusal. */
export interface Refusal {
  /** `invalid`: the question was wrong, or nothing can be made of it. */
  readonly kind: 'amountTooLow' | 'amountTooHigh' | 'noRoute' | 'invalid';
  readonly reason: string;
}

/** Codes that are about the question. The others (1000, 1005, 1006, 1008, 1009, 1010, 1012) are LI.FI's own troubles. */
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
/** The status alone tells when there is no code. */
const NOT_FOUND = 404;
const NO_QUOTE = 1002;
const REASON_LENGTH = 200;

const TOO_LOW: ReadonlySet<string> = new Set(['AMOUNT_TOO_LOW', 'FEES_HIGHER_THAN_AMOUNT', 'FEES_HGHER_THAN_AMOUNT']);
const TOO_HIGH: ReadonlySet<string> = new Set(['AMOUNT_TOO_HIGH']);

/** A refusal of the question; `undefined` when LI.FI could not be asked. */
export function refusalOf(error: unknown): Refusal | undefined {
  const { status, body } = error instanceof UpstreamError ? error : {};
  if (status === undefined || status === TOO_MANY || status >= 500) return undefined;
  const { code, message, errors } = refusal.safeParse(body).data ?? { message: '', errors: undefined };
  const meaning = MEANINGS[code ?? (status === NOT_FOUND ? NO_QUOTE : 0)];
  if (meaning === undefined) return undefined;
  const kind = meaning === 'noRoute' ? kindOf(toolCodes(errors)) : meaning;
  return { kind, reason: `LI.FI: ${printableText(message, REASON_LENGTH)}` };
}

/** Nobody takes the amount. Where some tools say that it is too low and others that it is too high, no route is left. */
function kindOf(codes: readonly string[]): Refusal['kind'] {
  const isTooLow = codes.some((code) => TOO_LOW.has(code));
  const isTooHigh = codes.some((code) => TOO_HIGH.has(code));
  if (isTooLow === isTooHigh) return 'noRoute';
  return isTooLow ? 'amountTooLow' : 'amountTooHigh';
}

const DEEPEST = 6;

/** The codes that tools gave: `errors` is a list of them, or `failed` holds lists by path of the route. */
function toolCodes(errors: unknown, depth = 0): readonly string[] {
  if (typeof errors !== 'object' || errors === null || depth > DEEPEST) return [];
  return Object.entries(errors).flatMap(([key, value]) =>
    key === 'code' && typeof value === 'string' ? [value] : toolCodes(value, depth + 1),
  );
}
