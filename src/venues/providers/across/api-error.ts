import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import { printableText } from '../../../tokens/printable-text';

/** Meaning of an error response of the API. */
export interface AcrossApiError {
  /** `invalid`: the request was malformed. */
  readonly kind: 'amountTooLow' | 'amountTooHigh' | 'noRoute' | 'invalid';
  readonly reason: string;
}

const errorBody = z.object({ code: z.string().optional(), message: z.string().optional() });

const MEANINGS: Readonly<Record<string, Exclude<AcrossApiError['kind'], 'invalid'>>> = {
  AMOUNT_TOO_LOW: 'amountTooLow',
  AMOUNT_TOO_HIGH: 'amountTooHigh',
  ROUTE_NOT_ENABLED: 'noRoute',
  SWAP_LIQUIDITY_INSUFFICIENT: 'noRoute',
  SWAP_QUOTE_UNAVAILABLE: 'noRoute',
  SWAP_TYPE_NOT_GUARANTEED: 'noRoute',
  SWAP_SLIPPAGE_INSUFFICIENT: 'noRoute',
};

/** Invalid key, timeout or rate limit: not caused by the caller's request. */
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 429]);
const UNKNOWN_TOKEN = 404;
const REASON_LENGTH = 200;

/** The error in a response of the API; `undefined` when the API is unavailable. */
export function parseApiError(error: unknown): AcrossApiError | undefined {
  if (!(error instanceof UpstreamError) || error.status === undefined) return undefined;
  const { status, body } = error;
  const { code = '', message = `it responded with ${status}` } = errorBody.safeParse(body).data ?? {};
  if (isUnavailable(status, code)) return undefined;
  const kind = MEANINGS[code] ?? (status === UNKNOWN_TOKEN ? 'noRoute' : 'invalid');
  return { kind, reason: `Across: ${printableText(message, REASON_LENGTH)}` };
}

const isUnavailable = (status: number, code: string): boolean =>
  status >= 500 || UNAVAILABLE_STATUSES.has(status) || code.startsWith('UPSTREAM_');
