import { Directive, Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { PAGE_SIZE } from '../../schema/costs';
import type { ActionDeps } from '../../../src/actions/list-actions';
import type { RequestContext } from '../../../src/auth/request-context';
import { requireCustomer } from '../../schema/authorization';
import { WalletActionsArgs } from './args';
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

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createLoader = (context: RequestContext) =>
    createWalletActionsLoader(this.deps, requireCustomer(context));
}
