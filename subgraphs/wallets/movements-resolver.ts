import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import type { CoverageDeps } from '../../src/ledger/coverage';
import type { MovementDeps } from '../../src/ledger/list-movements';
import { mayWrite, requireCustomer } from '../schema/authorization';
import { ABOUT_TEN_ITEMS, CONNECTION_SIZE } from '../schema/costs';
import { createMovementsLoader } from './movements-loader';
import { MovementConnection, MovementCoverage, MovementsArgs } from './movement-types';
import { Wallet } from './types';

export type MovementsDeps = MovementDeps & CoverageDeps;

@Resolver(() => Wallet)
export class MovementsResolver {
  constructor(private readonly deps: MovementsDeps) {}

  /** Returns the transfers of the wallet after a cursor. */
  @Directive(CONNECTION_SIZE)
  @FieldResolver(() => MovementConnection, {
    nullable: true,
    description:
      'Tokens (ERC-20) and native coin that the wallet received or sent, newest first. Recorded from the moment on at which ' +
      'the customer first requested them; tokens of a limited number of blocks before are added later. Without coin that contracts ' +
      'send. On Solana the net change of each token in a finalized transaction, without its fee, also from before the first request. `movementCoverage` shows which blocks they are complete for; a deployment may record no chain, then both are ' +
      'empty. Null, with the error RATE_LIMIT_EXCEEDED, for a wallet above the limit of watched wallets.',
  })
  movements(
    @Root() wallet: Wallet,
    @Args(() => MovementsArgs) args: MovementsArgs,
    @Ctx() context: RequestContext,
  ): Promise<MovementConnection> {
    return context.loader(this.createLoader).load(wallet.address, args);
  }

  /** Returns for which blocks the movements are complete. */
  @Directive(ABOUT_TEN_ITEMS)
  @FieldResolver(() => [MovementCoverage], {
    description:
      'Which blocks of each chain `movements` covers. Without the chains whose transfers are not recorded: empty where ' +
      'the recording is switched off.',
  })
  movementCoverage(@Root() wallet: Wallet, @Ctx() context: RequestContext): Promise<readonly MovementCoverage[]> {
    return context.loader(this.createLoader).loadCoverage(wallet.address);
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createLoader = (context: RequestContext) =>
    createMovementsLoader(this.deps, { customerId: requireCustomer(context), mayWatch: mayWrite(context) });
}
