import type { AuthCheckerInterface, ResolverData } from 'type-graphql';
import type { CustomerId, Principal, Role } from '../../src/auth/principal';
import type { RequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';

/** What may open a root field: `@Authorized('apiKey')`, `@Authorized('apiKey', 'bearer')`, `@Authorized('admin')`. */
type Credential = 'apiKey' | 'bearer' | Role;

/** Refuses a root field unless the request carries one of the credentials that the field names. */
export class CredentialChecker implements AuthCheckerInterface<RequestContext, Credential> {
  check({ context }: ResolverData<RequestContext>, accepted: Credential[]): boolean {
    requirePrincipal(context, accepted);
    return true;
  }
}

/**
 * Who sends the request, by one of the credentials. What starts a subscription asks for it itself: the decorator guards
 * the events alone.
 *
 * @throws AUTHENTICATION_REQUIRED, INVALID_API_KEY, FORBIDDEN
 */
export function requirePrincipal({ principal }: RequestContext, accepted: readonly Credential[]): Principal {
  if (principal === undefined) throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'send your key as x-api-key' });
  if (principal.kind === 'apiKey') {
    if (accepted.includes('apiKey')) return principal;
    throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'this needs a Bearer access token' });
  }
  if (accepted.includes('bearer') || accepted.includes(principal.role)) return principal;
  if (accepted.every((credential) => credential === 'apiKey')) throw serviceError('INVALID_API_KEY');
  throw serviceError('FORBIDDEN', { reason: `the role ${principal.role} is not allowed to do this` });
}

/** The customer on whose behalf the request runs. @throws AUTHENTICATION_REQUIRED without a credential. */
export function requireCustomer({ principal }: RequestContext): CustomerId {
  if (principal === undefined) throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'send your key as x-api-key' });
  return principal.customerId;
}
