import { Directive, Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { PAGE_SIZE } from '../../schema/costs';
import { cancelAction, type CancelDeps } from '../../../src/actions/cancel-action';
import { getAction } from '../../../src/actions/get-action';
import { listActions } from '../../../src/actions/list-actions';
import { reportTransaction } from '../../../src/actions/report-transaction';
import { type RefundDeps, requestRefund } from '../../../src/actions/request-refund';
import { swapStatus, type SwapStatusDeps } from '../../../src/actions/swap-status';
import type { RequestContext } from '../../../src/auth/request-context';
import { actorOf, requireCustomer, requireWriter } from '../../schema/authorization';
import { UuidScalar } from '../../schema/scalars';
import { ActionsArgs, CancelActionArgs, ReportTransactionArgs, RequestRefundArgs, SwapStatusArgs } from './args';
import { SwapStatus } from './swap-status';
import { Action, ActionPage } from './types';

export type ActionResolverDeps = SwapStatusDeps & RefundDeps & CancelDeps;

@Resolver()
export class ActionResolver {
  constructor(private readonly deps: ActionResolverDeps) {}

  /** Returns the actions that a wallet sent or receives. */
  @Authorized('apiKey', 'read')
  @Directive(PAGE_SIZE)
  @Query(() => ActionPage, { description: 'Returns the actions that a wallet sent or receives, newest first.' })
  actions(
    @Args(() => ActionsArgs) { walletAddress, page, limit, status, type, sortBy, sortOrder }: ActionsArgs,
    @Ctx() context: RequestContext,
  ): Promise<ActionPage> {
    const customerId = requireCustomer(context);
    const filter = { page, limit, status, type, sortBy, sortOrder };
    return listActions(this.deps, { customerId, walletAddress, ...filter });
  }

  /** Returns one action. */
  @Authorized('apiKey', 'read')
  @Query(() => Action, { description: 'Returns an action by its id.' })
  action(
    @Arg('id', () => UuidScalar, { description: 'Id of the action.' }) actionId: string,
    @Ctx() context: RequestContext,
  ): Promise<Action> {
    return getAction(this.deps, { actionId, customerId: requireCustomer(context) });
  }

  /** Returns the status of the swap of a quote or action. */
  @Authorized('apiKey', 'read')
  @Query(() => SwapStatus, { description: 'Returns the status of a swap, by the id of its quote or its action.' })
  swapStatus(
    @Args(() => SwapStatusArgs) { id, txHash, btcTxHash }: SwapStatusArgs,
    @Ctx() context: RequestContext,
  ): Promise<SwapStatus> {
    const { signal } = context;
    const reportsTransaction = (txHash ?? btcTxHash ?? undefined) !== undefined;
    if (reportsTransaction) requireWriter(context);
    const [customerId, actor] = [requireCustomer(context), actorOf(context)];
    return swapStatus(this.deps, { customerId, id, txHash, btcTxHash, actor, signal });
  }

  /** Reports the transaction that executed an action. */
  @Authorized('apiKey', 'write')
  @Mutation(() => Action, {
    description:
      'Reports the transaction that executed an action. Optional: the service also finds the transaction on chain.',
  })
  reportActionTransaction(
    @Args(() => ReportTransactionArgs) { id, txHash }: ReportTransactionArgs,
    @Ctx() context: RequestContext,
  ): Promise<Action> {
    const actor = actorOf(context);
    return reportTransaction(this.deps, { customerId: requireCustomer(context), actionId: id, txHash, actor });
  }

  /** Cancels an order. */
  @Authorized('apiKey', 'write')
  @Mutation(() => Action, {
    description:
      'Cancels an order of a tokenized stock with a limit price that is funded and not filled: the action is REFUNDED and its refund is queued. All other actions are refused with INVALID_ACTION_TYPE.',
  })
  cancelAction(
    @Args(() => CancelActionArgs) { id: actionId, wallet }: CancelActionArgs,
    @Ctx() context: RequestContext,
  ): Promise<Action> {
    const actor = actorOf(context);
    return cancelAction(this.deps, { customerId: requireCustomer(context), actionId, wallet, actor });
  }

  /** Requests the refund of a bridge transfer that was not delivered. */
  @Authorized('apiKey', 'write')
  @Mutation(() => Action, {
    description:
      'Requests a refund from the bridge, when the transfer was not delivered and is not refunded automatically. Idempotent.',
  })
  requestRefund(
    @Args(() => RequestRefundArgs) { id: actionId, refundAddress }: RequestRefundArgs,
    @Ctx() context: RequestContext,
  ): Promise<Action> {
    const { signal } = context;
    const [customerId, actor] = [requireCustomer(context), actorOf(context)];
    return requestRefund(this.deps, {
      customerId,
      actionId,
      refundAddress: refundAddress ?? undefined,
      actor,
      signal,
    });
  }
}
