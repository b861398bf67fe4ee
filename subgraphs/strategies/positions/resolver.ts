import { Arg, Args, Authorized, Ctx, Directive, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { listPositionHistory } from '../../../src/strategies/positions/position-history';
import type { EarnDeps } from '../../../src/strategies/positions/wallet-earn';
import { type OnePosition, readStrategyHistory } from '../../../src/strategies/positions/wallet-position';
import { requireCustomer } from '../../schema/authorization';
import { HISTORIC_ENTRIES, HISTORY_PAGE } from '../../schema/costs';
import { AddressScalar } from '../../schema/scalars';
import { Strategy, StrategyDetail } from '../types';
import { StrategyHistoryArgs } from './args';
import { createDetailLoader, createPositionLoader } from './loaders';
import { HistoricEntry, PositionHistoryPage } from './history-types';
import { ProfitAndLoss, SpotPosition, StrategyPosition } from './types';
import { historicEntryOf, historyPageOf, strategyPositionOf } from './views';

@Resolver(() => Strategy)
export class StrategyPositionResolver {
  constructor(private readonly deps: EarnDeps) {}

  /** Returns the position of a wallet. */
  @FieldResolver(() => StrategyPosition, {
    nullable: true,
    description:
      'The position of a wallet. Null when it has none. The positions of a page share the calls to each chain.',
  })
  async position(
    @Root() { strategy }: Strategy,
    @Arg('wallet', () => AddressScalar, { description: 'The wallet.' }) wallet: string,
    @Ctx() context: RequestContext,
  ): Promise<StrategyPosition | undefined> {
    const view = await context.loader(this.createLoader).load({ strategy, wallet });
    return view === undefined ? undefined : strategyPositionOf(view);
  }

  /** Returns the changes of a wallet's deposit. */
  @Authorized('apiKey', 'read')
  @Directive(HISTORY_PAGE)
  @Query(() => PositionHistoryPage, {
    description: "Returns the changes of a wallet's deposit in a strategy, wherever they were made, the newest first.",
  })
  async strategyHistory(
    @Args(() => StrategyHistoryArgs) args: StrategyHistoryArgs,
    @Ctx() context: RequestContext,
  ): Promise<PositionHistoryPage> {
    const { wallet, strategyId, page, limit } = args;
    const { signal } = context;
    const customerId = requireCustomer(context);
    return historyPageOf(await readStrategyHistory(this.deps, { customerId, wallet, strategyId, page, limit, signal }));
  }

  private readonly createLoader = (context: RequestContext) => createPositionLoader(this.deps, context);
}

const MAX_HISTORIC = 100;

@Resolver(() => StrategyDetail)
export class DetailPositionResolver {
  constructor(private readonly deps: EarnDeps) {}

  /** Returns the position of the wallet. */
  @FieldResolver(() => SpotPosition, {
    nullable: true,
    description: 'The position of the wallet, of zeros when it has none. Null without a wallet.',
  })
  async spotPosition(
    @Root() detail: StrategyDetail,
    @Ctx() context: RequestContext,
  ): Promise<SpotPosition | undefined> {
    const position = await this.load(detail, context);
    return position === undefined ? undefined : strategyPositionOf(position.view).spotPosition;
  }

  /** Returns what the wallet earned. */
  @FieldResolver(() => ProfitAndLoss, { nullable: true, description: 'What the wallet earned. Null without a wallet.' })
  async profitAndLoss(
    @Root() detail: StrategyDetail,
    @Ctx() context: RequestContext,
  ): Promise<ProfitAndLoss | undefined> {
    const position = await this.load(detail, context);
    return position === undefined ? undefined : strategyPositionOf(position.view).profitAndLoss;
  }

  /** Returns the latest changes of the wallet's deposit. */
  @Directive(HISTORIC_ENTRIES)
  @FieldResolver(() => [HistoricEntry], {
    nullable: true,
    description: "The latest 100 changes of the wallet's deposit, the newest first. Null without a wallet.",
  })
  async historic(
    @Root() detail: StrategyDetail,
    @Ctx() context: RequestContext,
  ): Promise<readonly HistoricEntry[] | undefined> {
    const position = await this.load(detail, context);
    if (position === undefined) return undefined;
    const { owner, reading } = position;
    const { data } = await listPositionHistory(this.deps, { owner, reading, page: { limit: MAX_HISTORIC } });
    return data.map((entry) => historicEntryOf(entry, { wallet: owner.wallet, strategyId: detail.strategy.id }));
  }

  private load({ strategy, wallet }: StrategyDetail, context: RequestContext): Promise<OnePosition | undefined> {
    if (wallet === undefined) return Promise.resolve(undefined);
    return context.loader(this.createLoader).load({ strategy: strategy.strategy, wallet });
  }

  private readonly createLoader = (context: RequestContext) => createDetailLoader(this.deps, context);
}
