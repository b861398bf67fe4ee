import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { createTransfer, type TransferDeps } from '../../../src/transactions/transfers/create-transfer';
import { requireCustomer } from '../../schema/authorization';
import { TransferArgs } from './args';
import { Transfer } from './types';

@Resolver()
export class TransferResolver {
  constructor(private readonly deps: TransferDeps) {}

  @Authorized('apiKey')
  @Mutation(() => Transfer, {
    description:
      'Creates the transaction that transfers a token, and its action. Not idempotent: every call creates an action.',
  })
  createTransfer(@Args(() => TransferArgs) args: TransferArgs, @Ctx() context: RequestContext): Promise<Transfer> {
    return this.create(args, context);
  }

  @Authorized('apiKey')
  @Query(() => Transfer, {
    description:
      'Creates the transaction that transfers a token, for clients that send GET requests. Every call creates an action.',
  })
  transfer(@Args(() => TransferArgs) args: TransferArgs, @Ctx() context: RequestContext): Promise<Transfer> {
    return this.create(args, context);
  }

  private create({ chainId, ...rest }: TransferArgs, context: RequestContext): Promise<Transfer> {
    const fields = { ...rest, chainId: chainId?.toString() };
    return createTransfer(this.deps, { customerId: requireCustomer(context), fields, signal: context.signal });
  }
}
