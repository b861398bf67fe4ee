import { Args, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { createSwapTransaction, type SwapTransactionDeps } from '../../../src/transactions/create-swap-transaction';
import { requireCustomer } from '../../schema/authorization';
import { SwapTransactionArgs } from './args';
import { SwapTransaction } from './types';

@Resolver()
export class SwapTransactionResolver {
  constructor(private readonly deps: SwapTransactionDeps) {}

  @Authorized('apiKey')
  @Mutation(() => SwapTransaction, {
    description:
      'Creates the transaction that executes a quote. Idempotent: the same request returns the same action. Once the action was executed, it is returned with its status and without transactions.',
  })
  createSwapTransaction(
    @Args(() => SwapTransactionArgs) { rawQuote, ...fields }: SwapTransactionArgs,
    @Ctx() context: RequestContext,
  ): Promise<SwapTransaction> {
    const customerId = requireCustomer(context);
    return createSwapTransaction(this.deps, { customerId, fields, rawQuote, signal: context.signal });
  }
}
