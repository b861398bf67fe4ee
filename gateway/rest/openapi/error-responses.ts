import { STATUS_CODES } from 'node:http';
import { CATALOG, type ErrorCode } from '../../../src/errors/catalog';
import type { RestRoute } from '../route-table';
import { type JsonSchema, referenceTo } from './json-schema';

const BY_AUTHENTICATION = {
  apiKey: ['AUTHENTICATION_REQUIRED', 'INVALID_API_KEY'],
  bearer: ['AUTHENTICATION_REQUIRED', 'INVALID_AUTH_TOKEN'],
  apiKeyOrBearer: ['AUTHENTICATION_REQUIRED', 'INVALID_API_KEY', 'INVALID_AUTH_TOKEN'],
} as const satisfies Record<RestRoute['auth'], readonly ErrorCode[]>;

const COMMON_ERRORS = [
  'FORBIDDEN',
  'VALIDATION_ERROR',
  'RATE_LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'INTERNAL_SERVER_ERROR',
  'SUBREQUEST_FAILED',
  'SERVICE_UNAVAILABLE',
  'SUBREQUEST_TIMEOUT',
] as const satisfies readonly ErrorCode[];

/** Statuses of malformed HTTP: malformed itself, not received in time, and with too large headers. */
const MALFORMED = [400, 408, 431];
/** Status of a body above the limit. */
const BODY_TOO_LARGE = 413;

/** All error codes of a route, without duplicates. */
export function routeErrorCodes(route: RestRoute): readonly ErrorCode[] {
  const idempotent: readonly ErrorCode[] = route.method === 'POST' ? ['IDEMPOTENCY_KEY_IN_USE'] : [];
  return [...new Set([...BY_AUTHENTICATION[route.auth], ...route.errors, ...COMMON_ERRORS, ...idempotent])];
}

/** Error responses of a route by status, with the codes of that status. */
export function errorResponses(route: RestRoute): Readonly<Record<string, JsonSchema>> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of routeErrorCodes(route)) {
    const { status } = CATALOG[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const status of MALFORMED) byStatus.set(status, [...(byStatus.get(status) ?? []), 'VALIDATION_ERROR']);
  if (route.method === 'POST') byStatus.set(BODY_TOO_LARGE, ['VALIDATION_ERROR']);
  const statuses = [...byStatus].sort(([first], [second]) => first - second);
  return Object.fromEntries(statuses.map(([status, codes]) => [String(status), errorResponse(status, codes)]));
}

/** One response for all codes of a status. */
export function errorResponse(status: number, codes: readonly ErrorCode[]): JsonSchema {
  const lines = codes.map((code) => `- \`${code}\`: ${CATALOG[code].message}`);
  const headers = status === 429 ? ['x-request-id', 'RateLimit', 'Retry-After'] : ['x-request-id', 'RateLimit'];
  return {
    description: `${STATUS_CODES[status] ?? 'Failure'}\n\n${lines.join('\n')}`,
    headers: headerReferences(headers),
    content: {
      'application/json': {
        schema: envelopeWith(codes),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

export const headerReferences = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Schema of the envelope with these codes. */
const envelopeWith = (codes: readonly ErrorCode[]): JsonSchema => ({
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: codes },
        message: { type: 'string', description: 'Error message. Its text may change.' },
        details: referenceTo('ErrorDetails'),
      },
    },
  },
});

export const ERROR_DETAILS_SCHEMA: JsonSchema = {
  type: ['object', 'null'],
  description:
    'Structured context: `errors` with VALIDATION_ERROR, `retryAfter` (seconds) with rate limits, `limit` and `maximum` with other limits of the customer, `minimum`, `maximum`, `currency` and `decimals` with an amount out of range, also of a strategy, `priceImpactBps`, `maxPriceImpactBps` and `maximumAmountOut` with a price impact above the maximum, `unservedChains` and `servedChains` with NO_ROUTE_FOUND for a chain that this deployment does not serve, `providers` with a quote that no provider returned, `retryable` where the code alone does not say whether the same request may succeed later, `kind` and `reason` with TRANSFER_VALIDATION_FAILED and LENDING_BAD_REQUEST, `network` with LENDING_SERVICE_UNAVAILABLE, `requestId` with a 5xx.',
  additionalProperties: true,
  properties: {
    errors: {
      type: 'array',
      description: 'All problems of the request.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    retryAfter: { type: 'integer', description: 'Seconds to wait before a retry.' },
    limit: { type: 'string', description: 'Name of the limit of the customer that is reached.' },
    minimum: { type: 'string', description: 'Minimum amount, in the smallest unit of `currency`: decimal digits.' },
    maximum: {
      type: ['string', 'integer'],
      description:
        'With an amount: its maximum, in the smallest unit of `currency`, as a string of decimal digits. With `limit`: the value of that limit, as an integer.',
    },
    currency: {
      type: 'string',
      description: 'Unit of `minimum` and `maximum`: a fiat currency, or the symbol of a token.',
    },
    decimals: { type: 'integer', description: 'Decimals of `currency`.' },
    maximumAmountOut: {
      type: 'string',
      description:
        'Output amount for `maximum`, in the smallest unit of the token to buy: decimal digits. Only for a requested output amount.',
    },
    priceImpactBps: { type: 'integer', description: 'Price impact of the requested amount, in basis points.' },
    maxPriceImpactBps: { type: 'integer', description: 'Maximum price impact of the request, in basis points.' },
    unservedChains: { type: 'array', items: { type: 'string' } },
    servedChains: { type: 'array', items: { type: 'string' } },
    kind: {
      type: 'string',
      description:
        'Reason for TRANSFER_VALIDATION_FAILED, such as `INSUFFICIENT_BALANCE`, and for LENDING_BAD_REQUEST, such as `DEPOSIT_LIMIT`.',
    },
    network: { type: 'string', description: 'Slug of the chain that does not respond.' },
    reason: { type: 'string', description: 'Reason in words. Its text may change.' },
    provider: { type: 'string', description: 'Provider that failed.' },
    providers: {
      type: 'array',
      description: 'The providers without a quote, each with its error.',
      items: {
        type: 'object',
        required: ['provider', 'code', 'message'],
        properties: { provider: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
    retryable: { type: 'boolean', description: 'True when the same request may succeed later.' },
    status: { type: 'string', description: 'Status of the KYC profile at the ramp provider.' },
    usdEnabled: { type: 'boolean', description: 'False when US dollars must be unlocked first.' },
    upstreamStatus: { type: 'integer', description: 'HTTP status of the ramp provider.' },
    counted: { type: 'boolean', description: 'True for a SERVICE_UNAVAILABLE that counts against the rate limits.' },
    requestId: { type: 'string', description: "Id of the failed request in the service's log." },
  },
};

const DETAILS: Partial<Record<ErrorCode, JsonSchema>> = {
  VALIDATION_ERROR: {
    errors: [
      {
        path: 'amountIn',
        message:
          'must be an amount in the smallest unit: decimal digits without sign or leading zeros, at most 2^256 - 1',
      },
    ],
  },
  AMOUNT_IN_TOO_HIGH: {
    maximum: '2450000000',
    currency: 'USDC',
    decimals: 6,
    priceImpactBps: 4980,
    maxPriceImpactBps: 1500,
  },
  RATE_LIMIT_EXCEEDED: { retryAfter: 17 },
  RATE_LIMITED: { retryAfter: 17 },
};

export const errorExample = (code: ErrorCode): JsonSchema => {
  const { message, status } = CATALOG[code];
  const details = DETAILS[code] ?? (status >= 500 ? { requestId: '0b9e1f7c-6f0e-4d0f-9a53-0f2f2a4c5b11' } : undefined);
  return { value: { error: { code, message, ...(details === undefined ? {} : { details }) } } };
};
