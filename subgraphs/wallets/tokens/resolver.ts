import DataLoader from 'dataloader';
import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { assertNotBlocked } from '../../../src/auth/sanctions';
import { connectPositions } from '../../../src/portfolio/overview/position-connection';
import { createWalletTokensReader, type WalletTokensDeps } from '../../../src/portfolio/overview/read-wallet-tokens';
import type { WalletTokens as Tokens } from '../../../src/portfolio/overview/wallet-tokens';
import type { ReadSnapshots, ServedSnapshot } from '../../../src/snapshots/snapshot-section';
import { requireCustomer } from '../../schema/authorization';
import { POSITIONS_SIZE } from '../../schema/costs';
import { Wallet } from '../types';
import { PositionsArgs, WalletTokensArgs } from './args';
import { TokenPositionConnection, WalletTokens } from './types';
import { connectionView, walletTokensView, type WalletTokensView } from './view';

export type WalletTokensResolverDeps = WalletTokensDeps & { readonly blockedAddresses: ReadonlySet<string> };

/** Wallets whose tokens are read together. */
const MAX_WALLETS = 100;

@Resolver(() => Wallet)
export class WalletTokensResolver {
  private readonly read: ReadSnapshots<Tokens>;

  constructor(private readonly deps: WalletTokensResolverDeps) {
    this.read = createWalletTokensReader(deps);
  }

  @FieldResolver(() => WalletTokens, {
    description:
      'The tokens that the wallet holds on all chains, with their values. A chain that is unavailable does not affect the others.',
  })
  async tokens(
    @Root() { address }: Wallet,
    @Args(() => WalletTokensArgs) options: WalletTokensArgs,
    @Ctx() context: RequestContext,
  ): Promise<WalletTokens> {
    assertNotBlocked(this.deps.blockedAddresses, [address]);
    return walletTokensView(await context.loader(this.createLoader).load(address), options);
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createLoader = (context: RequestContext) =>
    new DataLoader<string, ServedSnapshot<Tokens>>(
      (wallets) => this.read({ customerId: requireCustomer(context), wallets, signal: context.signal }),
      { maxBatchSize: MAX_WALLETS },
    );
}

@Resolver(() => WalletTokens)
export class PositionsResolver {
  @Directive(POSITIONS_SIZE)
  @FieldResolver(() => TokenPositionConnection, { description: 'The positions by cursors, in the same order.' })
  positionsConnection(
    @Root() { shown }: WalletTokensView,
    @Args(() => PositionsArgs) slice: PositionsArgs,
  ): TokenPositionConnection {
    return connectionView(connectPositions(shown, slice));
  }
}
