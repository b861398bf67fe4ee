import type { AuthCheckerInterface, ResolverData } from 'type-graphql';
import type { CustomerId, Role } from '../../src/auth/principal';
import type { RequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';

/** What may open a root field: `@Authorized('apiKey')`, `@Authorized('apiKey', 'bearer')`, `@Authorized('admin')`. */
type Credential = 'apiKey' | 'bearer' | Role;

/** Refuses a root field unless the request carries one of the credentials that the field names. */
export class CredentialChecker implements AuthCheckerInterface<RequestContext, Credential> {
  check({ context: { principal } }: ResolverData<RequestContext>, accepted: Credential[]): boolean {
    if (principal === undefined)
      throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'send your key as x-api-key' });
    if (principal.kind === 'apiKey') {
      if (accepted.includes('apiKey')) return true;
      throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'this needs a Bearer access token' });
    }
    if (accepted.includes('bearer') || accepted.includes(principal.role)) return true;
    if (accepted.every((credential) => credential === 'apiKey')) throw serviceError('INVALID_API_KEY');
    throw serviceError('FORBIDDEN', { reason: `the role ${principal.role} is not allowed to do this` });
  }
}

/** The customer on whose behalf the request runs. @throws AUTHENTICATION_REQUIRED without a credential. */
export function requireCustomer({ principal }: RequestContext): CustomerId {
  if (principal === undefined) throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'send your key as x-api-key' });
  return principal.customerId;
}
