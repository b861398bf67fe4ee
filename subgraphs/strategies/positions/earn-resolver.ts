import DataLoader from 'dataloader';
import { Ctx, Directive, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { assertNotBlocked } from '../../../src/auth/sanctions';
import type { ReadSnapshots, ServedSnapshot } from '../../../src/snapshots/snapshot-section';
import {
  createWalletEarnReader,
  type EarnSnapshotDeps,
  type ShownEarn,
} from '../../../src/strategies/positions/earn-snapshots';
import type { EarnDeps } from '../../../src/strategies/positions/wallet-earn';
import { requireCustomer } from '../../schema/authorization';
import { ABOUT_TEN_ITEMS } from '../../schema/costs';
import { createInvestmentActionLoader } from './loaders';
import { Action, EarnPosition, Wallet, WalletEarn } from './earn-types';
import { walletEarnOf } from './views';

/** Wallets whose positions are read together. */
const MAX_WALLETS = 100;

@Resolver(() => Wallet)
export class WalletEarnResolver {
  private readonly read: ReadSnapshots<ShownEarn>;

  constructor(private readonly deps: EarnSnapshotDeps) {
    this.read = createWalletEarnReader(deps);
  }

  /** Returns the positions in all strategies. */
  @FieldResolver(() => WalletEarn, {
    description:
      'What the wallet has in strategies, wherever it was deposited. A chain that does not respond does not affect the others.',
  })
  async earn(@Root() { address: wallet }: Wallet, @Ctx() context: RequestContext): Promise<WalletEarn> {
    assertNotBlocked(this.deps.blockedAddresses, [wallet]);
    return walletEarnOf(await context.loader(this.createLoader).load(wallet), wallet);
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createLoader = (context: RequestContext) =>
    new DataLoader<string, ServedSnapshot<ShownEarn>>(
      (wallets) => this.read({ customerId: requireCustomer(context), wallets, signal: context.signal }),
      { maxBatchSize: MAX_WALLETS },
    );
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
