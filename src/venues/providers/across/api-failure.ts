import { z } from 'zod';
import { isServiceError, serviceError, type ServiceError } from '../../../errors/service-error';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { printableText } from '../../../tokens/printable-text';

/** What the API means by a refusal. */
export interface Refusal {
  /** `invalid`: the question was wrong. */
  readonly kind: 'amountTooLow' | 'amountTooHigh' | 'noRoute' | 'invalid';
  readonly reason: string;
}

const errorBody = z.object({ code: z.string().optional(), message: z.string().optional() });

const MEANINGS: Readonly<Record<string, Exclude<Refusal['kind'], 'invalid'>>> = {
  AMOUNT_TOO_LOW: 'amountTooLow',
  AMOUNT_TOO_HIGH: 'amountTooHigh',
  ROUTE_NOT_ENABLED: 'noRoute',
  SWAP_LIQUIDITY_INSUFFICIENT: 'noRoute',
  SWAP_QUOTE_UNAVAILABLE: 'noRoute',
  SWAP_TYPE_NOT_GUARANTEED: 'noRoute',
  SWAP_SLIPPAGE_INSUFFICIENT: 'noRoute',
};

/** Our key, our pace or the API's patience: nothing that the caller could ask differently. */
const OURS: ReadonlySet<number> = new Set([401, 403, 408, 429]);
const UNKNOWN_TOKEN = 404;
const REASON_LENGTH = 200;

/** A refusal of the question; `undefined` when the API could not be asked. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof UpstreamError) || error.status === undefined) return undefined;
  const { status, body } = error;
  const { code = '', message = `it answered ${status}` } = errorBody.safeParse(body).data ?? {};
  if (isDown(status, code)) return undefined;
  const kind = MEANINGS[code] ?? (status === UNKNOWN_TOKEN ? 'noRoute' : 'invalid');
  return { kind, reason: `Across: ${printableText(message, REASON_LENGTH)}` };
}

const isDown = (status: number, code: string): boolean =>
  status >= 500 || OURS.has(status) || code.startsWith('UPSTREAM_');

/** PROVIDER_UNAVAILABLE while prices are asked. */
export const unavailable = (id: string, error: unknown): ServiceError =>
  isServiceError(error) ? error : providerUnavailable(id, error);

/** BRIDGE_API_ERROR once a quote was given. */
export const bridgeFailed = (error: unknown): ServiceError =>
  isServiceError(error) ? error : serviceError('BRIDGE_API_ERROR', {}, { cause: error });
