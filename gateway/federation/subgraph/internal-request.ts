import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type CustomerId, type Principal, ROLES } from '../../../src/auth/principal';

/** Prefix of the headers between gateway and subgraphs. They must be removed from callers' requests. */
export const INTERNAL_HEADER_PREFIX = 'x-afluente-';
const TIMESTAMP = 'x-afluente-timestamp';
const REQUEST_ID = 'x-afluente-request-id';
const PRINCIPAL = 'x-afluente-principal';
const SIGNATURE = 'x-afluente-signature';

/** Continues a trace. Not signed: it decides on nothing. */
export const TRACEPARENT = 'traceparent';

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

const principalJson = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('is not JSON');
      return z.NEVER;
    }
  })
  .pipe(principalSchema);

type Headers = Readonly<Record<string, unknown>>;

/** Returns `undefined` unless the headers were signed with this secret, for this body, within the last minute. */
export function verifyInternalRequest(
  key: SigningKey,
  headers: Headers,
  body: string | Buffer,
): InternalRequest | undefined {
  const signed = readSigned(key, headers, body);
  return signed === undefined || !isRecent(signed) ? undefined : requestOf(signed);
}

/** Headers that were signed with the secret, for the body. */
interface SignedHeaders {
  readonly requestId: string;
  /** JSON. */
  readonly principal: string;
  /** Since the signature, by the clock of this process. */
  readonly ageMs: number;
}

function readSigned(key: SigningKey, headers: Headers, body: string | Buffer): SignedHeaders | undefined {
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
  return { requestId, principal, ageMs: (key.now ?? Date.now)() - Number.parseInt(timestamp, 10) };
}

const isRecent = ({ ageMs }: SignedHeaders): boolean => Math.abs(ageMs) <= WINDOW_MS;

function requestOf({ requestId, principal }: SignedHeaders): InternalRequest | undefined {
  const parsed = principalJson.safeParse(principal);
  return parsed.success ? { requestId, principal: parsed.data } : undefined;
}

/** Reason of a refusal: the signature is valid, the signed caller is not. */
export const INVALID_PRINCIPAL = 'signed, with an invalid principal';

/** Why `verifyInternalRequest` refuses the headers. Only a sender with the secret gets more than `not signed`. */
export function refusalReason(
  key: SigningKey,
  headers: Headers,
  body: string | Buffer,
): { readonly forLog: string; readonly forSender: string } {
  const forSender = 'not signed';
  if (headers[SIGNATURE] === undefined || typeof headers[TIMESTAMP] !== 'string')
    return { forLog: forSender, forSender };
  const signed = readSigned(key, headers, body);
  if (signed === undefined) return { forLog: 'signed with another secret', forSender };
  const reason = isRecent(signed) ? INVALID_PRINCIPAL : ageOf(signed);
  return { forLog: reason, forSender: reason };
}

const ageOf = ({ ageMs }: SignedHeaders): string =>
  `signed ${String(Math.abs(Math.round(ageMs / 1000)))} s ${ageMs < 0 ? 'in the future' : 'ago'}`;

/** Signs the parts as a JSON list, so that different lists have different texts. */
function signatureOf(secret: string, parts: readonly string[], body: string | Buffer): Buffer {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', secret)
    .update(JSON.stringify([...parts, bodyHash]))
    .digest();
}
