import type { FastifyCorsOptions } from '@fastify/cors';
import type { Config } from '../../src/config/config';
import { COST_HEADER } from './graphql/cost-extension';
import type { HeaderPairs } from './header-pairs';

export type OriginConfig = Pick<Config, 'CORS_ORIGINS'>;

const ALLOWED_HEADERS = [
  ...['x-api-key', 'authorization', 'content-type', 'accept', 'idempotency-key', 'x-request-id'],
  COST_HEADER,
];
// One text: the plugin would join an array for every request.
const EXPOSED_HEADERS = [
  ...['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  ...['retry-after', 'x-request-id', 'x-ignored-parameters', 'idempotency-replayed', 'deprecation', 'sunset', 'link'],
  'x-deprecated-parameters',
].join(', ');

const allowsAll = ({ CORS_ORIGINS }: OriginConfig): boolean => CORS_ORIGINS.includes('*');

export const corsOptions = (config: OriginConfig): FastifyCorsOptions => ({
  origin: allowsAll(config) ? '*' : [...config.CORS_ORIGINS],
  methods: ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'],
  allowedHeaders: ALLOWED_HEADERS,
  exposedHeaders: EXPOSED_HEADERS,
  maxAge: 86_400,
  strictPreflight: false,
});

/**
 * The headers with which a page of this origin may read a response that the CORS plugin does not reach, such as the refusal
 * of a malformed request: without them a browser reports a network error instead of the error envelope.
 */
export function originHeaders(config: OriginConfig, origin: string | undefined): HeaderPairs {
  const exposed = ['access-control-expose-headers', EXPOSED_HEADERS] as const;
  if (allowsAll(config)) return [['access-control-allow-origin', '*'], exposed];
  const vary = ['vary', 'Origin'] as const;
  if (origin === undefined || !config.CORS_ORIGINS.includes(origin)) return [vary];
  return [vary, ['access-control-allow-origin', origin], exposed];
}
