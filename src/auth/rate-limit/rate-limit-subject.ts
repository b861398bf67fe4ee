import { serviceError, type ServiceError } from '../../errors/service-error';
import type { Principal } from '../principal';
import type { RateLimitDecision, RateLimiter, RateLimitSubject } from './rate-limiter';

/** The subject whose limits a caller's requests count against: an API key, or a user of a customer. */
export function rateLimitSubject(principal: Principal): RateLimitSubject {
  const callerId =
    principal.kind === 'apiKey' ? principal.keyId : `bearer:${principal.customerId}:${principal.subject}`;
  return { kind: 'caller', callerId, customerId: principal.customerId };
}

/** The error for a request that exceeds the limits. */
export function rateLimitError(
  subject: RateLimitSubject,
  { retryAfter = 1, exceeded }: RateLimitDecision,
): ServiceError {
  const details = { retryAfter };
  if (subject.kind === 'address' || exceeded === undefined) {
    return serviceError('RATE_LIMITED', { retryAfter }, { details });
  }
  const { limit, name: window } = exceeded;
  return serviceError('RATE_LIMIT_EXCEEDED', { bound: `${limit} requests per ${window}`, retryAfter }, { details });
}

/** Counts one request of a caller, in addition to its HTTP request. @throws RATE_LIMIT_EXCEEDED */
export async function countCallerRequest(limiter: RateLimiter, principal: Principal): Promise<void> {
  const subject = rateLimitSubject(principal);
  const decision = await limiter.consume(subject, 1);
  if (!decision.allowed) throw rateLimitError(subject, decision);
}
