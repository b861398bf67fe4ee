import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { CustomerId, Role } from '../../src/auth/principal';
import type { RequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';
import { CustomerProfile } from './types';

export interface CustomersDeps {
  /** Returns the customer's profile, as the given role may see it. */
  profile(customer: { readonly customerId: CustomerId; readonly role: Role }): Promise<CustomerProfile>;
}

@Resolver()
export class CustomerResolver {
  constructor(private readonly deps: CustomersDeps) {}

  /** Returns the customer of the access token. */
  @Authorized('bearer')
  @Query(() => CustomerProfile, { description: 'Returns the customer of the access token. Requires a Bearer token.' })
  me(@Ctx() { principal }: RequestContext): Promise<CustomerProfile> {
    if (principal?.kind !== 'bearer') {
      throw serviceError('AUTHENTICATION_REQUIRED', {
        reason: 'this operation requires a Bearer access token in the Authorization header',
      });
    }
    return this.deps.profile({ customerId: principal.customerId, role: principal.role });
  }
}
