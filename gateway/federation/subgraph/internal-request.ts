import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type CustomerId, type Principal, ROLES } from '../../../src/auth/principal';

/** Headers between gateway and subgraphs. The edge must strip them from what callers send. */
export const INTERNAL_HEADER_PREFIX = 'x-afluente-';
const TIMESTAMP = 'x-afluente-timestamp';
const REQUEST_ID = 'x-afluente-request-id';
const PRINCIPAL = 'x-afluente-principal';
const SIGNATURE = 'x-afluente-signature';

/** How far the clocks of two processes may be apart, and how long a request can be repeated. */
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

/** Headers that say who asks, signed together with the body. */
export function signInternalRequest(key: SigningKey, request: InternalRequest, body: string): Record<string, string> {
  const timestamp = String((key.now ?? Date.now)());
  const principal = JSON.stringify(request.principal ?? null);
  const { requestId } = request;
  return {
    [TIMESTAMP]: timestamp,
    // Ids and subjects of access tokens may hold what a header cannot.
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

/** `undefined` unless the headers were signed with the same secret, for this body, within the last minute. */
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
  const known = principalSchema.safeParse(JSON.parse(principal));
  return known.success ? { requestId, principal: known.data } : undefined;
}

/** The parts are signed as a JSON list, so that no two different lists give the same text. */
function signatureOf(secret: string, parts: readonly string[], body: string | Buffer): Buffer {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', secret)
    .update(JSON.stringify([...parts, bodyHash]))
    .digest();
}
