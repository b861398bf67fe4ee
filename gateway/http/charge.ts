import type { FastifyRequest } from 'fastify';
import type { RateLimitDecision, RateLimiter, RateLimitSubject } from '../../src/auth/rate-limiter';
import { serviceError, type ServiceError } from '../../src/errors/service-error';

/**
 * Charges a request to its API key, its user or, without a credential, to its address.
 *
 * @throws RATE_LIMIT_EXCEEDED, RATE_LIMITED
 */
export async function charge(limiter: RateLimiter, request: FastifyRequest, cost: number): Promise<void> {
  const subject = subjectOf(request);
  const decision = await limiter.consume(subject, cost);
  request.scope.windows = decision.windows;
  if (!decision.allowed) throw tooMany(subject, decision);
}

function subjectOf({ scope: { principal }, ip }: FastifyRequest): RateLimitSubject {
  if (principal === undefined) return { kind: 'address', address: ip };
  const keyId = principal.kind === 'apiKey' ? principal.keyId : `bearer:${principal.subject}`;
  return { kind: 'apiKey', keyId, customerId: principal.customerId };
}

function tooMany(subject: RateLimitSubject, { retryAfter = 1, exceeded }: RateLimitDecision): ServiceError {
  const details = { retryAfter };
  if (subject.kind === 'address' || exceeded === undefined) {
    return serviceError('RATE_LIMITED', { retryAfter }, { details });
  }
  const { limit, name: window } = exceeded;
  return serviceError('RATE_LIMIT_EXCEEDED', { limit, window, retryAfter }, { details });
}
