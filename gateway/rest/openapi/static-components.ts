import type { JsonSchema } from './json-schema';

export const TAGS: readonly JsonSchema[] = [
  { name: 'Swaps', description: 'Quotes, and the transactions that execute them.' },
  { name: 'Transfers', description: 'Token transfers between wallets.' },
  { name: 'Actions', description: 'Started swaps, transfers and payments, with their status.' },
  { name: 'Wallets', description: 'Smart accounts, and balances of wallets.' },
  { name: 'KYC', description: 'KYC profiles of people, and their wallets.' },
  { name: 'Strategies', description: 'Markets in which assets earn interest.' },
  { name: 'Customers', description: 'The customer dashboard. Bearer access tokens only.' },
  { name: 'Health', description: 'Public state of the service.' },
];

export const SECURITY_SCHEMES: JsonSchema = {
  ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The API key itself, without a prefix.' },
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
      'Makes the request idempotent for 24 hours: the same key with the same content returns the first response again, and with other content a 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    description: 'Id of this request in the logs. Returned in the response. Generated when it is not sent.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
};

const text = (description: string): JsonSchema => ({ description, schema: { type: 'string' } });
const count = (description: string): JsonSchema => ({ description, schema: { type: 'integer' } });

export const HEADERS: JsonSchema = {
  'x-request-id': text('Id of this request in the logs.'),
  'x-ignored-parameters': text('Parameters or body fields of the request that this route ignores.'),
  'idempotency-replayed': text('`true` when this is the response of an earlier request with the same Idempotency-Key.'),
  'RateLimit-Policy': text('All rate-limit windows: `q` requests in `w` seconds.'),
  RateLimit: text('Every window: `r` requests left, reset in `t` seconds.'),
  'X-RateLimit-Limit': count('Limit of the window with the fewest requests left.'),
  'X-RateLimit-Remaining': count('Requests left in that window.'),
  'X-RateLimit-Reset': count('Seconds until that window is reset.'),
  'Retry-After': count('Seconds to wait before a retry.'),
  Deprecation: text(
    'Start of the deprecation of this path, or of a parameter of the request, in Unix seconds after an `@`.',
  ),
  'x-deprecated-parameters': text('Deprecated parameters or body fields of the request.'),
  Sunset: text('Date after which this path may be removed.'),
  Link: text('The path that replaces this one.'),
};
