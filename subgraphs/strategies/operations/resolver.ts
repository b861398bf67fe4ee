import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { createOperation } from '../../../src/strategies/operations/create-operation';
import type { OperationDeps } from '../../../src/strategies/operations/operation-deps';
import { type PendingDeps, pendingOperations } from '../../../src/strategies/operations/pending-operations';
import { requireCustomer } from '../../schema/authorization';
import { PendingActionsArgs, StrategyTransactionArgs } from './args';
import { PendingStrategyActions } from './pending-types';
import { StrategyTransaction } from './types';

export type StrategyOperationDeps = OperationDeps & PendingDeps;

@Resolver()
export class StrategyOperationResolver {
  constructor(private readonly deps: StrategyOperationDeps) {}

  @Authorized('apiKey')
  @Mutation(() => StrategyTransaction, {
    description:
      'Creates the transactions of a deposit into a strategy, of a withdrawal from it or of a claim of its rewards, and their action. Not idempotent: every call creates an action.',
  })
  createStrategyTransaction(
    @Args(() => StrategyTransactionArgs) args: StrategyTransactionArgs,
    @Ctx() context: RequestContext,
  ): Promise<StrategyTransaction> {
    return this.create(args, context);
  }

  @Authorized('apiKey')
  @Query(() => StrategyTransaction, {
    description:
      'Creates the transactions of a deposit, a withdrawal or a claim, for clients that send GET requests. Every call creates an action.',
  })
  strategyTransaction(
    @Args(() => StrategyTransactionArgs) args: StrategyTransactionArgs,
    @Ctx() context: RequestContext,
  ): Promise<StrategyTransaction> {
    return this.create(args, context);
  }

  @Authorized('apiKey', 'read')
  @Query(() => PendingStrategyActions, {
    description: 'The actions of a wallet in a strategy that were sent and have not ended.',
  })
  pendingStrategyActions(
    @Args(() => PendingActionsArgs) { id: strategyId, wallet }: PendingActionsArgs,
    @Ctx() context: RequestContext,
  ): Promise<PendingStrategyActions> {
    return pendingOperations(this.deps, {
      customerId: requireCustomer(context),
      strategyId,
      wallet,
    });
  }

  private async create(
    { id: strategyId, fromChainId, chainIdIn, toChainId, chainIdOut, ...rest }: StrategyTransactionArgs,
    context: RequestContext,
  ): Promise<StrategyTransaction> {
    const fields = {
      ...rest,
      fromChainId: fromChainId?.toString(),
      chainIdIn: chainIdIn?.toString(),
      toChainId: toChainId?.toString(),
      chainIdOut: chainIdOut?.toString(),
    };
    const { signal } = context;
    return createOperation(this.deps, { customerId: requireCustomer(context), strategyId, fields, signal });
  }
}
