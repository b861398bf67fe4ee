import type { FastifyInstance, FastifyRequest } from 'fastify';
import { rateLimitSubject, rateLimitError } from '../../src/auth/rate-limit/rate-limit-subject';
import type { RateLimiter } from '../../src/auth/rate-limit/rate-limiter';

/**
 * Counts a request against the rate limit of its API key, its user or, without credentials, its address.
 *
 * @throws RATE_LIMIT_EXCEEDED, RATE_LIMITED
 */
export async function countRequest(limiter: RateLimiter, request: FastifyRequest, cost: number): Promise<void> {
  const { scope, ip } = request;
  const { principal } = scope;
  const subject = principal === undefined ? { kind: 'address' as const, address: ip } : rateLimitSubject(principal);
  const decision = await limiter.consume(subject, cost);
  scope.windows = decision.windows;
  if (!decision.allowed) throw rateLimitError(subject, decision);
  scope.refunds.push(() => decision.refund());
}

/** Takes back what a request was charged when it fails because the service is unavailable. */
export function refundUnserved(app: FastifyInstance): void {
  app.addHook('onResponse', ({ scope: { refunds, isUnserved } }, _reply, done) => {
    if (isUnserved) for (const refund of refunds.splice(0)) void refund();
    done();
  });
}
