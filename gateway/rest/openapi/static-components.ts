import type { JsonSchema } from './json-schema';

export const TAGS: readonly JsonSchema[] = [
  { name: 'Swaps', description: 'Quotes, and the transactions that execute them.' },
  { name: 'Transfers', description: 'Tokens from one wallet to another.' },
  { name: 'Actions', description: 'What was started, and how it goes.' },
  { name: 'Wallets', description: 'Smart accounts, and what wallets hold.' },
  { name: 'KYC', description: 'People whom the ramps verify, and their wallets.' },
  { name: 'Customers', description: 'The dashboard: Bearer access tokens only.' },
  { name: 'Health', description: 'Public state of the service.' },
];

export const SECURITY_SCHEMES: JsonSchema = {
  ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The bare key, without a prefix.' },
  BearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of the identity provider.',
  },
};

export const PARAMETERS: JsonSchema = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call safe to repeat for 24 hours: the same key with the same content gives the first answer again, with other content a 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    description: 'Name of this request in logs; echoed. One is made when none is sent.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
};

const text = (description: string): JsonSchema => ({ description, schema: { type: 'string' } });
const count = (description: string): JsonSchema => ({ description, schema: { type: 'integer' } });

export const HEADERS: JsonSchema = {
  'x-request-id': text('Name of this request in logs.'),
  'x-ignored-parameters': text('Parameters or body fields that were sent and mean nothing here.'),
  'idempotency-replayed': text('`true` when this is the answer of an earlier call with the same Idempotency-Key.'),
  'RateLimit-Policy': text('Every window: `q` requests in `w` seconds.'),
  RateLimit: text('Every window: `r` requests left, renewed in `t` seconds.'),
  'X-RateLimit-Limit': count('Requests in the tightest window.'),
  'X-RateLimit-Remaining': count('Requests left in it.'),
  'X-RateLimit-Reset': count('Seconds until it is renewed.'),
  'Retry-After': count('Seconds to wait.'),
  Deprecation: text('Since when this path, or a parameter that was sent, is deprecated, in Unix seconds after an `@`.'),
  'x-deprecated-parameters': text('Parameters or body fields that were sent and are on their way out.'),
  Sunset: text('When this path may be gone.'),
  Link: text('The path that succeeds this one.'),
};
