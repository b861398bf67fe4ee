import type { LookupAddress } from 'node:dns';
import { Agent, request } from 'undici';
import { anySignal } from '../async/any-signal';
import { guardedLookup, type NameQuery, resolveAll, resolvePublicHost } from '../http/guarded-lookup';
import { isLoopbackHost, isPublicAddress } from '../http/public-address';
import { type SignedMessage, webhookSignature } from './signature';
import { type WebhookUrlPolicy, webhookUrlProblem } from './webhook-url-problem';

/** Time limit of an exchange: name resolution, connection, request and response. */
const EXCHANGE_TIMEOUT_MS = 15_000;
/** Bytes of a response that are read at most. */
const MAX_RESPONSE_BYTES = 20_000;
/** Characters of the response to a failed attempt that the log keeps. */
const MAX_LOGGED_CHARACTERS = 500;
const USER_AGENT = 'Afluente-Webhooks/1';

export interface SenderOptions extends WebhookUrlPolicy {
  /** Resolves host names; by default the DNS servers, and for names of this machine the system's resolver. */
  readonly resolve?: (query: NameQuery) => Promise<readonly LookupAddress[]>;
  readonly timeoutMs?: number;
}

export interface WebhookRequest extends SignedMessage {
  readonly url: string;
  readonly secrets: readonly string[];
}

/**
 * Why an attempt failed: `NOT_ALLOWED`: the URL or the address of its host is not public; no connection was made.
 * `UNREACHABLE`: the connection failed or was closed. `TIMEOUT`: no complete response in time. `STATUS`: not 2xx.
 * `NO_SECRET`: no stored secret can sign; nothing was sent.
 */
export type WebhookFailure = 'NOT_ALLOWED' | 'UNREACHABLE' | 'TIMEOUT' | 'STATUS' | 'NO_SECRET';

/** The result of one attempt. Without a failure the receiver has accepted the event. */
export interface AttemptResult {
  readonly failure: WebhookFailure | undefined;
  /** HTTP status; `undefined` without a response. */
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** First characters of the response to a failed attempt. */
  readonly response: string | undefined;
  readonly durationMs: number;
}

/** Sends a webhook once. Never throws. `undefined` when the signal aborted first: the receiver may have accepted the event. */
export type SendWebhook = (message: WebhookRequest, signal: AbortSignal) => Promise<AttemptResult | undefined>;

class NotAllowedError extends Error {
  override readonly name = 'NotAllowedError';
}

/**
 * Sends webhooks to URLs that callers provide. Each attempt has its own connection, whose address is checked when it is made.
 * A redirect is a failure. The status decides; of the body of a success nothing is read.
 */
export function createWebhookSender({ allowLoopback, resolve = resolveHost, timeoutMs }: SenderOptions): SendWebhook {
  const isAllowed = (address: string): boolean =>
    isPublicAddress(address) || (allowLoopback && isLoopbackHost(address));
  return async (message, signal) => {
    const startedAt = performance.now();
    const result = (outcome: Outcome): AttemptResult => ({
      ...NO_RESPONSE,
      ...outcome,
      durationMs: Math.round(performance.now() - startedAt),
    });
    // Also for literals of addresses, which are connected to without a lookup.
    if (webhookUrlProblem(message.url, { allowLoopback }) !== undefined) return result({ failure: 'NOT_ALLOWED' });
    const timeout = AbortSignal.timeout(timeoutMs ?? EXCHANGE_TIMEOUT_MS);
    const ending = anySignal(signal, timeout);
    const lookup = guardedLookup({
      resolve: (hostname) => resolve({ hostname, signal: ending }),
      isAllowed,
      refuse: () => new NotAllowedError(),
    });
    const dispatcher = new Agent({ connect: { lookup, timeout: timeoutMs ?? EXCHANGE_TIMEOUT_MS } });
    try {
      return result(await exchange(message, { dispatcher, signal: ending }));
    } catch (error) {
      if (signal.aborted) return undefined;
      return result({ failure: failureOf(error, timeout) });
    } finally {
      await dispatcher.destroy().catch(() => undefined);
    }
  };
}

/** Only URLs that may name this machine get here with its names. */
const resolveHost = (query: NameQuery): Promise<readonly LookupAddress[]> =>
  isLoopbackHost(query.hostname) ? resolveAll(query.hostname) : resolvePublicHost(query);

type Outcome = Pick<AttemptResult, 'failure'> & Partial<AttemptResult>;

const NO_RESPONSE = { failure: undefined, status: undefined, retryAfterSeconds: undefined, response: undefined };

interface Connection {
  readonly dispatcher: Agent;
  readonly signal: AbortSignal;
}

async function exchange(message: WebhookRequest, { dispatcher, signal }: Connection): Promise<Outcome> {
  const { url, body, secrets, id, timestamp } = message;
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(secrets, message),
  };
  const response = await request(url, { method: 'POST', headers, body, dispatcher, signal });
  response.body.on('error', () => undefined); // the connection is closed before the body has ended
  const status = response.statusCode;
  if (status >= 200 && status < 300) return { failure: undefined, status };
  const retryAfterSeconds = secondsOf(response.headers['retry-after']);
  return { failure: 'STATUS', status, retryAfterSeconds, response: await readStart(response.body) };
}

/** Only seconds: a date would depend on the clock of the receiver. */
function secondsOf(header: string | string[] | undefined): number | undefined {
  const seconds = /^[0-9]{1,9}$/.exec(String(header))?.[0];
  return seconds === undefined ? undefined : Number.parseInt(seconds, 10);
}

/** The start of a body, as far as it arrives in time. */
async function readStart(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, MAX_RESPONSE_BYTES - size));
      size += chunk.length;
      if (size >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The status has arrived, and decides.
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\p{Cc}+/gu, ' ');
  return text === '' ? undefined : text.slice(0, MAX_LOGGED_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
}

/** The connection error wraps the error of the lookup. */
function failureOf(error: unknown, timeout: AbortSignal): WebhookFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NotAllowedError) return 'NOT_ALLOWED';
    if (cause instanceof AggregateError && cause.errors.some((one) => one instanceof NotAllowedError))
      return 'NOT_ALLOWED';
  }
  return timeout.aborted ? 'TIMEOUT' : 'UNREACHABLE';
}
