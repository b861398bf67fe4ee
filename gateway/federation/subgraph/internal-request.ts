import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type CustomerId, type Principal, ROLES } from '../../../src/auth/principal';

/** Prefix of the headers between gateway and subgraphs. They must be removed from callers' requests. */
export const INTERNAL_HEADER_PREFIX = 'x-afluente-';
const TIMESTAMP = 'x-afluente-timestamp';
const REQUEST_ID = 'x-afluente-request-id';
const PRINCIPAL = 'x-afluente-principal';
const SIGNATURE = 'x-afluente-signature';

/** Maximum difference between the clocks of two processes, and maximum age of a request. */
const WINDOW_MS = 60_000;

export interface InternalRequest {
  readonly requestId: string;
  readonly principal: Principal | undefined;
}

export interface SigningKey {
  readonly internalSecret: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Creates headers with request id and principal, signed together with the body. */
export function signInternalRequest(key: SigningKey, request: InternalRequest, body: string): Record<string, string> {
  const timestamp = String((key.now ?? Date.now)());
  const principal = JSON.stringify(request.principal ?? null);
  const { requestId } = request;
  return {
    [TIMESTAMP]: timestamp,
    // Ids and subjects of access tokens may contain characters that a header must not.
    [REQUEST_ID]: Buffer.from(requestId).toString('base64url'),
    [PRINCIPAL]: Buffer.from(principal).toString('base64url'),
    [SIGNATURE]: signatureOf(key.internalSecret, [timestamp, requestId, principal], body).toString('hex'),
  };
}

const encoded = z.base64url().transform((text) => Buffer.from(text, 'base64url').toString());

const headersSchema = z.object({
  [TIMESTAMP]: z.string().regex(/^[0-9]{1,16}$/),
  [REQUEST_ID]: encoded,
  [PRINCIPAL]: encoded,
  [SIGNATURE]: z.string().regex(/^[0-9a-f]{64}$/),
});

const principalSchema = z.union([
  z.null().transform(() => undefined),
  z.object({
    kind: z.literal('apiKey'),
    customerId: z.string().transform((id) => id as CustomerId),
    keyId: z.string(),
  }),
  z.object({
    kind: z.literal('bearer'),
    customerId: z.string().transform((id) => id as CustomerId),
    subject: z.string(),
    role: z.enum(ROLES),
  }),
]);

/** Returns `undefined` unless the headers were signed with this secret, for this body, within the last minute. */
export function verifyInternalRequest(
  key: SigningKey,
  headers: Readonly<Record<string, unknown>>,
  body: string | Buffer,
): InternalRequest | undefined {
  const parsed = headersSchema.safeParse(headers);
  if (!parsed.success) return undefined;
  const {
    [TIMESTAMP]: timestamp,
    [REQUEST_ID]: requestId,
    [PRINCIPAL]: principal,
    [SIGNATURE]: signature,
  } = parsed.data;
  const expected = signatureOf(key.internalSecret, [timestamp, requestId, principal], body);
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return undefined;
  const age = (key.now ?? Date.now)() - Number.parseInt(timestamp, 10);
  if (Math.abs(age) > WINDOW_MS) return undefined;
  const parsedPrincipal = principalSchema.safeParse(JSON.parse(principal));
  return parsedPrincipal.success ? { requestId, principal: parsedPrincipal.data } : undefined;
}

/** Why `verifyInternalRequest` refuses the headers. The difference of the clocks is stated only to a sender with the secret. */
export function refusalReason(
  key: SigningKey,
  headers: Readonly<Record<string, unknown>>,
  body: string | Buffer,
): { readonly forLog: string; readonly forSender: string } {
  const sentAt = headers[TIMESTAMP];
  const forSender = 'not signed';
  if (headers[SIGNATURE] === undefined || typeof sentAt !== 'string') return { forLog: forSender, forSender };
  const then = Number.parseInt(sentAt, 10);
  if (verifyInternalRequest({ ...key, now: () => then }, headers, body) === undefined) {
    return { forLog: 'signed with another secret', forSender };
  }
  const seconds = Math.round(((key.now ?? Date.now)() - then) / 1000);
  const age = `signed ${String(Math.abs(seconds))} s ${seconds < 0 ? 'in the future' : 'ago'}`;
  return { forLog: age, forSender: age };
}

/** Signs the parts as a JSON list, so that different lists have different texts. */
function signatureOf(secret: string, parts: readonly string[], body: string | Buffer): Buffer {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', secret)
    .update(JSON.stringify([...parts, bodyHash]))
    .digest();
}
