import type { AuthCheckerInterface, ResolverData } from 'type-graphql';
import type { CustomerId, Principal, Role } from '../../src/auth/principal';
import type { RequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';

/**
 * Credential that a root field accepts: `@Authorized('apiKey')`, `@Authorized('apiKey', 'bearer')`,
 * `@Authorized('admin')`.
 */
type Credential = 'apiKey' | 'bearer' | Role;

/** Rejects a root field unless the request carries one of the credentials that the field accepts. */
export class CredentialChecker implements AuthCheckerInterface<RequestContext, Credential> {
  check({ context }: ResolverData<RequestContext>, accepted: Credential[]): boolean {
    requirePrincipal(context, accepted);
    return true;
  }
}

/**
 * Returns the authenticated sender of the request. A subscription calls it when it starts, because the decorator guards
 * only its events.
 *
 * @throws AUTHENTICATION_REQUIRED, INVALID_API_KEY, FORBIDDEN
 */
export function requirePrincipal({ principal }: RequestContext, accepted: readonly Credential[]): Principal {
  if (principal === undefined)
    throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'send your API key in the x-api-key header' });
  if (principal.kind === 'apiKey') {
    if (accepted.includes('apiKey')) return principal;
    throw serviceError('AUTHENTICATION_REQUIRED', {
      reason: 'this operation requires a Bearer access token in the Authorization header',
    });
  }
  if (accepted.includes('bearer') || accepted.includes(principal.role)) return principal;
  if (accepted.every((credential) => credential === 'apiKey')) throw serviceError('INVALID_API_KEY');
  throw serviceError('FORBIDDEN', { reason: `the role ${principal.role} is not allowed to do this` });
}

/** False for an access token with the role `viewer`, which may only read. */
export const mayWrite = ({ principal }: Pick<RequestContext, 'principal'>): boolean =>
  principal?.kind !== 'bearer' || principal.role !== 'viewer';

/** For a query that writes with some of its arguments. @throws FORBIDDEN for the role `viewer` */
export function requireWriter(context: Pick<RequestContext, 'principal'>): void {
  if (mayWrite(context)) return;
  throw serviceError('FORBIDDEN', { reason: 'the role viewer may only read' });
}

/** Returns the customer of the request. @throws AUTHENTICATION_REQUIRED without a credential. */
export function requireCustomer({ principal }: RequestContext): CustomerId {
  if (principal === undefined)
    throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'send your API key in the x-api-key header' });
  return principal.customerId;
}
