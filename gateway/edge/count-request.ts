import type { FastifyInstance, FastifyRequest } from 'fastify';
import { rateLimitSubject, rateLimitError } from '../../src/auth/rate-limit/count-caller';
import { CATALOG } from '../../src/errors/catalog';
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
  scope.charges.push({ subject, cost });
}

/** Takes back what a request was charged when it fails because the service is unavailable. */
export function refundUnserved(app: FastifyInstance, limiter: RateLimiter): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { charges, isUnserved } = request.scope;
    if (isUnserved || reply.statusCode === CATALOG.SERVICE_UNAVAILABLE.status) {
      for (const { subject, cost } of charges.splice(0)) void limiter.refund(subject, cost);
    }
    done();
  });
}
