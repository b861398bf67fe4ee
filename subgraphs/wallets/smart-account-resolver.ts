import { Args, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { createSmartAccount, type CreateSmartAccountDeps } from '../../src/smart-accounts/create-smart-account';
import { requireCustomer } from '../schema/authorization';
import { SmartAccountArgs } from './smart-account-args';
import { SmartAccount } from './smart-account-types';

@Resolver()
export class SmartAccountResolver {
  constructor(private readonly deps: CreateSmartAccountDeps) {}

  @Authorized('apiKey')
  @Mutation(() => SmartAccount, {
    description: 'Returns the smart account of an owner on a chain. Idempotent.',
  })
  createSmartAccount(
    @Args(() => SmartAccountArgs) { owner, chainId }: SmartAccountArgs,
    @Ctx() context: RequestContext,
  ): Promise<SmartAccount> {
    const customerId = requireCustomer(context);
    return createSmartAccount(this.deps, { customerId, owner, chainId, signal: context.signal });
  }
}
