import { Args, Authorized, Ctx, Directive, Query, Resolver } from 'type-graphql';
import type { CustomerId, Role } from '../../src/auth/principal';
import type { RequestContext } from '../../src/auth/request-context';
import { listHoldingGroups, listHoldings } from '../../src/customers/holdings/list-holdings';
import type { HoldingsReader } from '../../src/customers/holdings/read-holdings';
import { requireActor } from '../schema/authorization';
import { HEAVY_OBJECT, PAGE_SIZE } from '../schema/costs';
import { CustomerHoldingGroupPage, CustomerHoldingPage, HoldingsArgs } from './holding-types';
import { CustomerProfile } from './types';

export interface CustomersDeps {
  /** Returns the customer's profile, as the given role may see it. */
  profile(customer: { readonly customerId: CustomerId; readonly role: Role }): Promise<CustomerProfile>;
  /** Reads what the wallets of a customer hold. */
  readonly readHoldings: HoldingsReader;
}

@Resolver()
export class CustomerResolver {
  constructor(private readonly deps: CustomersDeps) {}

  /** Returns the customer of the access token. */
  @Authorized('read')
  @Query(() => CustomerProfile, { description: 'Returns the customer of the access token. Requires a Bearer token.' })
  me(@Ctx() context: RequestContext): Promise<CustomerProfile> {
    const { customerId, role } = requireActor(context);
    return this.deps.profile({ customerId, role });
  }

  /** Returns the tokens of the customer. */
  @Authorized('read')
  @Directive(PAGE_SIZE)
  @Directive(HEAVY_OBJECT)
  @Query(() => CustomerHoldingPage, {
    description: 'Returns the tokens that wallets of the customer hold or may trade. Requires a Bearer token.',
  })
  customerTokens(
    @Args(() => HoldingsArgs) { id, page, limit }: HoldingsArgs,
    @Ctx() context: RequestContext,
  ): Promise<CustomerHoldingPage> {
    return listHoldings(this.deps.readHoldings, { ...customerOf(context), id, page, limit });
  }

  /** Returns the same tokens by symbol. */
  @Authorized('read')
  @Directive(PAGE_SIZE)
  @Directive(HEAVY_OBJECT)
  @Query(() => CustomerHoldingGroupPage, {
    description:
      'Returns the tokens that wallets of the customer hold or may trade, by symbol across chains. Requires a Bearer token.',
  })
  customerTokenGroups(
    @Args(() => HoldingsArgs) { id, page, limit }: HoldingsArgs,
    @Ctx() context: RequestContext,
  ): Promise<CustomerHoldingGroupPage> {
    return listHoldingGroups(this.deps.readHoldings, { ...customerOf(context), id, page, limit });
  }
}

const customerOf = (context: RequestContext) => ({
  customerId: requireActor(context).customerId,
  signal: context.signal,
});
