import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import type { PrimaryRampApi } from './ramp-api';
import { publicKeyResponse, readResponse, webhookList } from './api-schemas';

/** A callback as it was received. */
export interface ReceivedCallback {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes that the signature covers. */
  readonly rawBody: Buffer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The subject of a callback. Only a hint to poll the ramp: callbacks arrive late, twice and in any order.
 *
 * - `kind`: `other` for subjects that the service does not handle.
 * - `id`: the id of a ticket, as returned by `openTicket`, or of an attempt.
 * - `externalId`: the service's id, for tickets.
 * - `accountId`: the account of the subject, when the callback has it.
 * - `eventId`: equal for every callback of the same event.
 */
export interface PrimaryRampCallback {
  readonly kind: 'ticket' | 'kyc' | 'other';
  readonly id: string;
  readonly externalId: string | undefined;
  readonly accountId: string | undefined;
  readonly eventId: string;
}

const WEBHOOKS = '/v2/notifications/webhooks/';
const KEY_LIFETIME_MS = 3_600_000;
/** Least time between two requests for the key, because any sender can cause one with an invalid signature. */
const KEY_COOLDOWN_MS = 30_000;
/** Longer than the ramp repeats a callback that was not accepted. */
const MAX_AGE_MS = 86_400_000;
const CLOCK_SKEW_MS = 300_000;

const id = z.string().min(1).max(200);
const subject = z.object({
  ticket: z
    .object({
      id,
      externalId: z.string().nullish(),
      quote: z.object({ inputPaymentMethod: z.string().nullish() }).nullish(),
    })
    .optional(),
  attempt: z.object({ id }).optional(),
});
const event = z.object({
  subAccountId: id.optional(),
  accountId: id.optional(),
  createdAt: z.iso.datetime({ offset: true }).optional(),
  data: subject,
});
/** The event is at the top level, or inside `event`. */
const envelope = z.union([z.object({ event }).transform(({ event: inner }) => inner), event]);

export interface PrimaryRampCallbacks {
  /** `undefined` for an invalid signature, or an event older than a day. */
  verifyCallback(received: ReceivedCallback): Promise<PrimaryRampCallback | undefined>;
  /**
   * Subscribes a URL to callbacks, in place of an earlier one with the same last two path segments: the ramp accepts few
   * webhooks. Idempotent. @throws UpstreamError
   */
  subscribe(url: string, signal: AbortSignal): Promise<void>;
}

export function primaryCallbacks(api: PrimaryRampApi): PrimaryRampCallbacks {
  const isSigned = createSignatureCheck(api);
  return {
    async verifyCallback({ headers, rawBody, now }) {
      const signature = headers['signature'];
      if (typeof signature !== 'string' || !(await isSigned(rawBody, Buffer.from(signature, 'base64'))))
        return undefined;
      return readCallback(rawBody, now);
    },
    async subscribe(url, signal) {
      const { webhooks } = readResponse(webhookList, await api.http.get(WEBHOOKS, {}, signal));
      if (webhooks.some((webhook) => webhook.url === url)) return;
      const subscription = { webhookUrl: url, subscriptions: ['TICKET', 'KYC'] };
      const former = webhooks.find((webhook) => hasPathOf(webhook.url, url));
      if (former === undefined) {
        await api.http.post(WEBHOOKS, subscription, signal);
        return;
      }
      const body = { webhookId: former.id, ...subscription };
      await api.http.call({ method: 'PATCH', path: WEBHOOKS.slice(0, -1), body, signal });
    },
  };
}

/** True when both URLs end with the same two path segments; a webhook of another service has others. */
function hasPathOf(candidate: string, url: string): boolean {
  const endOf = (text: string): string =>
    (URL.canParse(text) ? new URL(text).pathname : '').split('/').slice(-2).join('/');
  return endOf(candidate) === endOf(url);
}

function readCallback(rawBody: Buffer, now: number): PrimaryRampCallback | undefined {
  const parsed = envelope.safeParse(parseJson(rawBody));
  const digest = createHash('sha256').update(rawBody).digest('hex');
  if (!parsed.success) return { ...OTHER, eventId: digest, accountId: undefined };
  const { createdAt, data, subAccountId, accountId } = parsed.data;
  if (createdAt !== undefined && !isRecent(Date.parse(createdAt), now)) return undefined;
  // The guide does not say whether the envelope's id identifies the event or the subscription. A repeated event has the same body.
  return { ...subjectOf(data), eventId: digest, accountId: subAccountId ?? accountId };
}

const isRecent = (at: number, now: number): boolean => at > now - MAX_AGE_MS && at < now + CLOCK_SKEW_MS;

const OTHER = { kind: 'other', id: '', externalId: undefined } as const;

function subjectOf({ ticket, attempt }: z.output<typeof subject>) {
  if (ticket !== undefined) {
    const externalId = ticket.externalId ?? undefined;
    // Payouts from the person's account are identified by the service's id, because the ramp's ticket is opened later.
    const isPayout = ticket.quote?.inputPaymentMethod === 'INTERNAL' && externalId !== undefined;
    return { kind: 'ticket', id: isPayout ? externalId.replace(/-refund$/, '') : ticket.id, externalId } as const;
  }
  return attempt === undefined ? OTHER : ({ kind: 'kyc', id: attempt.id, externalId: undefined } as const);
}

function parseJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

type SignatureCheck = (body: Buffer, signature: Buffer) => Promise<boolean>;

/** Verifies against the ramp's published key, which changes: after a failure, once more against a fresh key. */
function createSignatureCheck({ http, now }: PrimaryRampApi): SignatureCheck {
  let cached: { readonly key: KeyObject; readonly at: number } | undefined;
  let keyRequest: Promise<KeyObject | undefined> | undefined;
  let requestedAt = -Infinity;
  const fetchKey = async (): Promise<KeyObject | undefined> => {
    try {
      const response = await http.get('/v2/public-key', {}, AbortSignal.timeout(5000));
      const key = publicKeyOf(readResponse(publicKeyResponse, response).publicKey);
      cached = { key, at: now() };
      return key;
    } catch {
      return undefined; // without the key no signature is valid
    } finally {
      keyRequest = undefined;
    }
  };
  const freshKey = (): Promise<KeyObject | undefined> => {
    if (keyRequest !== undefined) return keyRequest;
    if (now() - requestedAt < KEY_COOLDOWN_MS) return Promise.resolve(undefined);
    requestedAt = now();
    keyRequest = fetchKey();
    return keyRequest;
  };
  return async (body, signature) => {
    const key = cached !== undefined && now() - cached.at < KEY_LIFETIME_MS ? cached.key : undefined;
    if (key !== undefined && isValidSignature(key, body, signature)) return true;
    const newKey = await freshKey();
    return newKey !== undefined && isValidSignature(newKey, body, signature);
  };
}

function publicKeyOf(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new UpstreamError('its public key is invalid', { kind: 'unreadable', cause });
  }
}

function isValidSignature(key: KeyObject, body: Buffer, signature: Buffer): boolean {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: saltLength } = constants;
  return verify('sha256', body, { key, padding, saltLength }, signature);
}
