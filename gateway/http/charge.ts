import type { FastifyRequest } from 'fastify';
import { subjectOf, tooManyRequests } from '../../src/auth/charge';
import type { RateLimiter } from '../../src/auth/rate-limiter';

/**
 * Charges a request to its API key, its user or, without a credential, to its address.
 *
 * @throws RATE_LIMIT_EXCEEDED, RATE_LIMITED
 */
export async function charge(limiter: RateLimiter, request: FastifyRequest, cost: number): Promise<void> {
  const { scope, ip } = request;
  const { principal } = scope;
  const subject = principal === undefined ? { kind: 'address' as const, address: ip } : subjectOf(principal);
  const decision = await limiter.consume(subject, cost);
  scope.windows = decision.windows;
  if (!decision.allowed) throw tooManyRequests(subject, decision);
}
