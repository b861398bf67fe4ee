import { Ctx, Directive, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { type EarnDeps, readWalletEarn } from '../../../src/strategies/positions/wallet-earn';
import { requireCustomer } from '../../schema/authorization';
import { ABOUT_TEN_ITEMS } from '../../schema/costs';
import { createInvestmentActionLoader } from './loaders';
import { Action, EarnPosition, Wallet, WalletEarn } from './earn-types';
import { walletEarnOf } from './views';

@Resolver(() => Wallet)
export class WalletEarnResolver {
  constructor(private readonly deps: EarnDeps) {}

  /** Returns the positions in all strategies. */
  @FieldResolver(() => WalletEarn, {
    description:
      'What the wallet has in strategies, wherever it was deposited. A chain that does not respond does not affect the others.',
  })
  async earn(@Root() { address: wallet }: Wallet, @Ctx() context: RequestContext): Promise<WalletEarn> {
    const { signal } = context;
    return walletEarnOf(
      await readWalletEarn(this.deps, { customerId: requireCustomer(context), wallet, signal }),
      wallet,
    );
  }
}

@Resolver(() => EarnPosition)
export class EarnPositionResolver {
  constructor(private readonly deps: EarnDeps) {}

  /** Returns the actions of the wallet in the strategy. */
  @Directive(ABOUT_TEN_ITEMS)
  @FieldResolver(() => [Action], {
    description: 'The latest 50 actions of this service for the wallet in the strategy, the newest first.',
  })
  async investmentActions(
    @Root() { strategy, wallet }: EarnPosition,
    @Ctx() context: RequestContext,
  ): Promise<readonly Action[]> {
    const ids = await context.loader(this.createLoader).load({ wallet, strategyId: strategy.id });
    return ids.map((id) => ({ id }));
  }

  private readonly createLoader = (context: RequestContext) => createInvestmentActionLoader(this.deps, context);
}
