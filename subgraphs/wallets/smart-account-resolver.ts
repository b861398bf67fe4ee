import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { readSmartAccount, type ReadSmartAccountDeps } from '../../src/actions/deployments/read-smart-account';
import type { RequestContext } from '../../src/auth/request-context';
import { type CreateSmartAccountDeps, smartAccountCreator } from '../../src/smart-accounts/create-smart-account';
import { requireCustomer } from '../schema/authorization';
import { SmartAccountArgs, SmartAccountKeyArgs } from './smart-account-args';
import { SmartAccount, SmartAccountStatus } from './smart-account-types';

@Resolver()
export class SmartAccountResolver {
  private readonly create: ReturnType<typeof smartAccountCreator>;

  constructor(private readonly deps: CreateSmartAccountDeps & ReadSmartAccountDeps) {
    this.create = smartAccountCreator(deps);
  }

  @Authorized('apiKey')
  @Mutation(() => SmartAccount, {
    description:
      'Returns the smart account of an owner on a chain, and requests its deployment where the service deploys accounts. Idempotent.',
  })
  createSmartAccount(
    @Args(() => SmartAccountArgs) { owner, chainId }: SmartAccountArgs,
    @Ctx() context: RequestContext,
  ): Promise<SmartAccount> {
    const customerId = requireCustomer(context);
    return this.create({ customerId, owner, chainId, signal: context.signal });
  }

  @Authorized('apiKey', 'read')
  @Query(() => SmartAccountStatus, { description: 'Returns a smart account of the customer, with its deployment.' })
  smartAccount(
    @Args(() => SmartAccountKeyArgs) { address, chainId }: SmartAccountKeyArgs,
    @Ctx() context: RequestContext,
  ): Promise<SmartAccountStatus> {
    return readSmartAccount(this.deps, { customerId: requireCustomer(context), address, chainId });
  }
}
