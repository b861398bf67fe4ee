import type { AuthCheckerInterface, ResolverData } from 'type-graphql';
import type { CustomerId, Principal } from '../../src/auth/principal';
import type { Actor } from '../../src/auth/audit-log';
import { apiKeyRequired, missingApiKey } from '../../src/auth/credentials/invalid-api-key';
import type { RequestContext } from '../../src/auth/request-context';
import { hasPermission, type Permission } from '../../src/auth/roles';
import { serviceError } from '../../src/errors/service-error';

/**
 * Credential that a root field accepts: an API key, or an access token whose role has the permission.
 * `@Authorized('apiKey')`, `@Authorized('apiKey', 'read')`, `@Authorized('members:write')`.
 */
type Credential = 'apiKey' | Permission;

const accessTokenRequired = () =>
  serviceError('AUTHENTICATION_REQUIRED', {
    reason: 'this operation requires a Bearer access token in the Authorization header',
  });

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
export function requirePrincipal(
  { principal }: Pick<RequestContext, 'principal'>,
  accepted: readonly Credential[],
): Principal {
  if (principal?.kind !== 'bearer') {
    const acceptsKey = accepted.includes('apiKey');
    if (principal !== undefined && acceptsKey) return principal;
    throw acceptsKey ? apiKeyRequired() : accessTokenRequired();
  }
  const permissions = accepted.filter((credential) => credential !== 'apiKey');
  if (permissions.some((permission) => hasPermission(principal.role, permission))) return principal;
  if (permissions.length === 0) throw missingApiKey();
  throw serviceError('FORBIDDEN', { reason: `the role ${principal.role} is not allowed to do this` });
}

/** False for an access token whose role may only read. */
export const mayWrite = ({ principal }: Pick<RequestContext, 'principal'>): boolean =>
  principal?.kind !== 'bearer' || hasPermission(principal.role, 'write');

/** For a query that writes with some of its arguments. @throws FORBIDDEN for a role that may only read */
export function requireWriter(context: Pick<RequestContext, 'principal'>): void {
  if (mayWrite(context)) return;
  throw serviceError('FORBIDDEN', { reason: 'the role viewer may only read' });
}

/**
 * Returns the user of the dashboard, for the record of what it changes.
 *
 * @throws AUTHENTICATION_REQUIRED without an access token
 */
export function requireActor({ principal, requestId }: RequestContext): Actor {
  if (principal?.kind === 'bearer') {
    const { customerId, subject, role } = principal;
    return { customerId, subject, role, requestId };
  }
  throw accessTokenRequired();
}

/** The user of the dashboard; `undefined` for an API key, whose changes are not recorded. */
export const actorOf = (context: RequestContext): Actor | undefined =>
  context.principal?.kind === 'bearer' ? requireActor(context) : undefined;

/** Returns the customer of the request. @throws AUTHENTICATION_REQUIRED without a credential. */
export function requireCustomer({ principal }: RequestContext): CustomerId {
  if (principal === undefined) throw apiKeyRequired();
  return principal.customerId;
}
