import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { getAction } from '../../../src/actions/get-action';
import { listActions } from '../../../src/actions/list-actions';
import { reportTransaction } from '../../../src/actions/report-transaction';
import { type RefundDeps, requestRefund } from '../../../src/actions/request-refund';
import { swapStatus, type SwapStatusDeps } from '../../../src/actions/swap-status';
import type { RequestContext } from '../../../src/auth/request-context';
import { requireCustomer } from '../../schema/authorization';
import { UuidScalar } from '../../schema/scalars';
import { ActionsArgs, ReportTransactionArgs, RequestRefundArgs, SwapStatusArgs } from './args';
import { Action, ActionPage, SwapStatus } from './types';

export type ActionResolverDeps = SwapStatusDeps & RefundDeps;

@Resolver()
export class ActionResolver {
  constructor(private readonly deps: ActionResolverDeps) {}

  /** Actions that a wallet sent or receives. */
  @Authorized('apiKey', 'bearer')
  @Query(() => ActionPage, { description: 'Actions that a wallet sent or receives, the newest first.' })
  actions(
    @Args(() => ActionsArgs) { walletAddress, page, limit, status, type, sortBy, sortOrder }: ActionsArgs,
    @Ctx() context: RequestContext,
  ): Promise<ActionPage> {
    const customerId = requireCustomer(context);
    const filter = { page, limit, status, type, sortBy, sortOrder };
    return listActions(this.deps, { customerId, walletAddress, ...filter });
  }

  /** One action. */
  @Authorized('apiKey', 'bearer')
  @Query(() => Action, { description: 'An action, by its id.' })
  action(
    @Arg('id', () => UuidScalar, { description: 'Id of the action.' }) actionId: string,
    @Ctx() context: RequestContext,
  ): Promise<Action> {
    return getAction(this.deps, { actionId, customerId: requireCustomer(context) });
  }

  /** How far the swap of a quote or action is. */
  @Authorized('apiKey', 'bearer')
  @Query(() => SwapStatus, { description: 'How far a swap is, by the id of its quote or its action.' })
  swapStatus(
    @Args(() => SwapStatusArgs) { id, txHash, btcTxHash }: SwapStatusArgs,
    @Ctx() context: RequestContext,
  ): Promise<SwapStatus> {
    const { signal } = context;
    return swapStatus(this.deps, { customerId: requireCustomer(context), id, txHash, btcTxHash, signal });
  }

  /** Tells which transaction executed an action. */
  @Authorized('apiKey', 'admin', 'owner', 'developer')
  @Mutation(() => Action, {
    description: 'Tells which transaction executed an action. Optional: it is found on chain without.',
  })
  reportActionTransaction(
    @Args(() => ReportTransactionArgs) { id, txHash }: ReportTransactionArgs,
    @Ctx() context: RequestContext,
  ): Promise<Action> {
    return reportTransaction(this.deps, { customerId: requireCustomer(context), actionId: id, txHash });
  }

  /** Asks for the money of a transfer that does not arrive. */
  @Authorized('apiKey', 'admin', 'owner', 'developer')
  @Mutation(() => Action, {
    description:
      'Asks the bridge for the money of a transfer that does not arrive, where it does not come back by itself. Asked twice, nothing changes.',
  })
  requestRefund(
    @Args(() => RequestRefundArgs) { id: actionId, refundAddress }: RequestRefundArgs,
    @Ctx() context: RequestContext,
  ): Promise<Action> {
    const { signal } = context;
    const customerId = requireCustomer(context);
    return requestRefund(this.deps, { customerId, actionId, refundAddress: refundAddress ?? undefined, signal });
  }
}
