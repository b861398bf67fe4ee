import { serviceError, type ServiceError } from '../../errors/service-error';
import type { Principal } from '../principal';
import type { RateLimitDecision, RateLimiter, RateLimitSubject } from './rate-limiter';

/** Whose allowance a caller spends. */
export function rateLimitSubject(principal: Principal): RateLimitSubject {
  const keyId = principal.kind === 'apiKey' ? principal.keyId : `bearer:${principal.subject}`;
  return { kind: 'apiKey', keyId, customerId: principal.customerId };
}

/** The refusal of a request beyond the limits. */
export function rateLimitError(
  subject: RateLimitSubject,
  { retryAfter = 1, exceeded }: RateLimitDecision,
): ServiceError {
  const details = { retryAfter };
  if (subject.kind === 'address' || exceeded === undefined) {
    return serviceError('RATE_LIMITED', { retryAfter }, { details });
  }
  const { limit, name: window } = exceeded;
  return serviceError('RATE_LIMIT_EXCEEDED', { limit, window, retryAfter }, { details });
}

/** Charges a caller for one more request, beside the one that came over the wire. @throws RATE_LIMIT_EXCEEDED */
export async function chargeCaller(limiter: RateLimiter, principal: Principal): Promise<void> {
  const subject = rateLimitSubject(principal);
  const decision = await limiter.consume(subject, 1);
  if (!decision.allowed) throw rateLimitError(subject, decision);
}
