import { Directive, Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { CONNECTION_SIZE, LARGE_PAGE_SIZE, PAGE_SIZE } from '../../schema/costs';
import type { ActionDeps } from '../../../src/actions/list-actions';
import type { RequestContext } from '../../../src/auth/request-context';
import { requireCustomer } from '../../schema/authorization';
import { ActionsConnectionArgs, WalletActionsArgs, WalletHistoryArgs } from './args';
import { ActionConnection } from './connection-types';
import { ActionPage } from './types';
import { Wallet } from './wallet';
import { createWalletActionsLoader } from './wallet-actions-loader';

@Resolver(() => Wallet)
export class WalletActionsResolver {
  constructor(private readonly deps: ActionDeps) {}

  /** Returns the actions that the wallet sent or receives. */
  @Directive(PAGE_SIZE)
  @FieldResolver(() => ActionPage, { description: 'Actions that the wallet sent or receives, newest first.' })
  actions(
    @Root() wallet: Wallet,
    @Args(() => WalletActionsArgs) args: WalletActionsArgs,
    @Ctx() context: RequestContext,
  ): Promise<ActionPage> {
    return context.loader(this.createLoader).load(wallet.address, args);
  }

  /** Returns a page of the history of the wallet. */
  @Directive(LARGE_PAGE_SIZE)
  @FieldResolver(() => ActionPage, {
    description:
      'Actions that the wallet sent or receives, in pages of up to 500. Drafts are left out, unless `status` is INITIAL. ' +
      '`actionsConnection` has the same actions by cursors.',
  })
  history(
    @Root() wallet: Wallet,
    @Args(() => WalletHistoryArgs) args: WalletHistoryArgs,
    @Ctx() context: RequestContext,
  ): Promise<ActionPage> {
    return context.loader(this.createLoader).loadHistory(wallet.address, args);
  }

  /** Returns the actions after a cursor. */
  @Directive(CONNECTION_SIZE)
  @FieldResolver(() => ActionConnection, {
    description:
      'Actions that the wallet sent or receives, by cursors: as fast at any depth. Sorted by `createdAt`, pages have ' +
      'neither gaps nor repetitions while actions are added.',
  })
  actionsConnection(
    @Root() wallet: Wallet,
    @Args(() => ActionsConnectionArgs) args: ActionsConnectionArgs,
    @Ctx() context: RequestContext,
  ): Promise<ActionConnection> {
    return context.loader(this.createLoader).loadConnection(wallet.address, args);
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createLoader = (context: RequestContext) =>
    createWalletActionsLoader(this.deps, requireCustomer(context));
}
