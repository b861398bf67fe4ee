import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import type { PrimaryRampApi } from './ramp-api';
import { publicKeyResponse, readResponse, webhookList } from './wire';

/** A callback as it arrived. */
export interface ReceivedCallback {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Byte for byte: the signature covers it. */
  readonly rawBody: Buffer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * What a callback is about. A hint to ask the ramp, never a fact: callbacks come late, twice and in any order.
 *
 * - `kind`: `other` when it is the ramp's, but nothing that is known here.
 * - `id`: of a ticket as `openTicket` gave it, or of an attempt.
 * - `externalId`: ours, of tickets.
 * - `accountId`: whose it is, where it says so.
 * - `eventId`: the same when an event is told again.
 */
export interface PrimaryRampCallback {
  readonly kind: 'ticket' | 'kyc' | 'other';
  readonly id: string;
  readonly externalId: string | undefined;
  readonly accountId: string | undefined;
  readonly eventId: string;
}

const WEBHOOKS = '/v2/notifications/webhooks/';
const KEY_LIFE_MS = 3_600_000;
/** Anybody can send a signature that does not hold: the ramp is asked for a newer key once in this time, no more. */
const KEY_COOLDOWN_MS = 30_000;
/** The ramp repeats callbacks that nobody took for hours. */
const OLDEST_MS = 86_400_000;
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
/** Either at the top, or inside of `event`. */
const envelope = z.union([z.object({ event }).transform(({ event: inner }) => inner), event]);

export interface PrimaryRampCallbacks {
  /** `undefined` for what the ramp did not sign, or not today. */
  verifyCallback(received: ReceivedCallback): Promise<PrimaryRampCallback | undefined>;
  /** Asks the ramp to call this URL, unless it does already. @throws UpstreamError */
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
      await api.http.post(WEBHOOKS, { webhookUrl: url, subscriptions: ['TICKET', 'KYC'] }, signal);
    },
  };
}

function readCallback(rawBody: Buffer, now: number): PrimaryRampCallback | undefined {
  const parsed = envelope.safeParse(parsedJson(rawBody));
  const digest = createHash('sha256').update(rawBody).digest('hex');
  if (!parsed.success) return { ...OTHER, eventId: digest, accountId: undefined };
  const { createdAt, data, subAccountId, accountId } = parsed.data;
  if (createdAt !== undefined && !isTimely(Date.parse(createdAt), now)) return undefined;
  // Nothing says whether the envelope's id is the event's or the subscription's: the same event again has the same body.
  return { ...subjectOf(data), eventId: digest, accountId: subAccountId ?? accountId };
}

const isTimely = (at: number, now: number): boolean => at > now - OLDEST_MS && at < now + CLOCK_SKEW_MS;

const OTHER = { kind: 'other', id: '', externalId: undefined } as const;

function subjectOf({ ticket, attempt }: z.output<typeof subject>) {
  if (ticket !== undefined) {
    const externalId = ticket.externalId ?? undefined;
    // Payouts from the person's account are known by our id, since they are opened later than our ticket.
    const isPayout = ticket.quote?.inputPaymentMethod === 'INTERNAL' && externalId !== undefined;
    return { kind: 'ticket', id: isPayout ? externalId.replace(/-refund$/, '') : ticket.id, externalId } as const;
  }
  return attempt === undefined ? OTHER : ({ kind: 'kyc', id: attempt.id, externalId: undefined } as const);
}

function parsedJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

type SignatureCheck = (body: Buffer, signature: Buffer) => Promise<boolean>;

/** Checks against the ramp's published key, which changes: what does not hold is checked once against a fresh one. */
function createSignatureCheck({ http, now }: PrimaryRampApi): SignatureCheck {
  let cached: { readonly key: KeyObject; readonly at: number } | undefined;
  let asking: Promise<KeyObject | undefined> | undefined;
  let askedAt = -Infinity;
  const fetchKey = async (): Promise<KeyObject | undefined> => {
    try {
      const answer = await http.get('/v2/public-key', {}, AbortSignal.timeout(5000));
      const key = publicKeyOf(readResponse(publicKeyResponse, answer).publicKey);
      cached = { key, at: now() };
      return key;
    } catch {
      return undefined; // nothing can be told of a signature without the key: it does not count
    } finally {
      asking = undefined;
    }
  };
  const fresh = (): Promise<KeyObject | undefined> => {
    if (asking !== undefined) return asking;
    if (now() - askedAt < KEY_COOLDOWN_MS) return Promise.resolve(undefined);
    askedAt = now();
    asking = fetchKey();
    return asking;
  };
  return async (body, signature) => {
    const known = cached !== undefined && now() - cached.at < KEY_LIFE_MS ? cached.key : undefined;
    if (known !== undefined && holds(known, body, signature)) return true;
    const key = await fresh();
    return key !== undefined && holds(key, body, signature);
  };
}

function publicKeyOf(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new UpstreamError('its public key is invalid', { kind: 'unreadable', cause });
  }
}

function holds(key: KeyObject, body: Buffer, signature: Buffer): boolean {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: saltLength } = constants;
  return verify('sha256', body, { key, padding, saltLength }, signature);
}
