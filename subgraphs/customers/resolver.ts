import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { CustomerId, Role } from '../../src/auth/principal';
import type { RequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';
import { CustomerProfile } from './types';

export interface CustomersDeps {
  /** The customer as the bearer of an access token sees it. */
  profile(customer: { readonly customerId: CustomerId; readonly role: Role }): Promise<CustomerProfile>;
}

@Resolver()
export class CustomerResolver {
  constructor(private readonly deps: CustomersDeps) {}

  /** The customer of the access token. */
  @Authorized('bearer')
  @Query(() => CustomerProfile, { description: 'The customer of the access token. Needs a Bearer token.' })
  me(@Ctx() { principal }: RequestContext): Promise<CustomerProfile> {
    if (principal?.kind !== 'bearer') {
      throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'this needs a Bearer access token' });
    }
    return this.deps.profile({ customerId: principal.customerId, role: principal.role });
  }
}
