import { Arg, Args, Authorized, Ctx, Directive, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { connectStrategies } from '../../src/strategies/views/strategy-connection';
import {
  bestStrategies,
  findStrategy,
  listStrategies,
  type ListStrategiesDeps,
} from '../../src/strategies/views/list-strategies';
import type { CustomerFees } from '../../src/strategies/fees/customer-fees';
import type { EarnDeps } from '../../src/strategies/positions/wallet-earn';
import { parsePositionOwner } from '../../src/strategies/positions/wallet-position';
import { requireCustomer } from '../schema/authorization';
import { defaultSpan, parseSpan, type RateHistoryDeps } from '../../src/strategies/views/rate-history';
import {
  ABOUT_TEN_ITEMS,
  CONNECTION_SIZE,
  RATE_HISTORY,
  RECENT_SAMPLES,
  STRATEGY_PAGE,
  WEEK_HISTORY,
} from '../schema/costs';
import { AddressScalar } from '../schema/scalars';
import { BestStrategiesArgs, RateRange, StrategiesArgs, StrategiesConnectionArgs } from './args';
import { StrategyConnection } from './connection-types';
import { createRateLoader, createSampleLoader } from './loaders';
import { MarketData, MarketSample, RatePoint } from './market-types';
import { Strategy, StrategyDetail, StrategyPage } from './types';

export type StrategyDeps = Omit<ListStrategiesDeps & RateHistoryDeps, 'fees'> & {
  /** The fees of the customer of a request. */
  readonly feesOf: (context: RequestContext) => Promise<CustomerFees>;
};

const withFees = async (deps: StrategyDeps, context: RequestContext) => ({ ...deps, fees: await deps.feesOf(context) });

const ID = { description: 'Id, slug or alias of a strategy. Case does not matter.' };
const WALLET = { nullable: true, description: 'Wallet whose position and history are returned.' };
const MAX_BEST = 10;

@Resolver(() => Strategy)
export class StrategyResolver {
  constructor(private readonly deps: StrategyDeps & Pick<EarnDeps, 'blockedAddresses'>) {}

  /** Returns a page of the catalog. */
  @Authorized('apiKey', 'read')
  @Directive(STRATEGY_PAGE)
  @Query(() => StrategyPage, { description: 'Returns the strategies of this deployment, in a stable order.' })
  async strategies(
    @Args(() => StrategiesArgs) args: StrategiesArgs,
    @Ctx() context: RequestContext,
  ): Promise<StrategyPage> {
    return listStrategies(await withFees(this.deps, context), args);
  }

  /** Returns the strategies after a cursor. */
  @Authorized('apiKey', 'read')
  @Directive(CONNECTION_SIZE)
  @Query(() => StrategyConnection, { description: 'Returns the strategies of this deployment, by cursors.' })
  async strategiesConnection(
    @Args(() => StrategiesConnectionArgs) args: StrategiesConnectionArgs,
    @Ctx() context: RequestContext,
  ): Promise<StrategyConnection> {
    return connectStrategies(await withFees(this.deps, context), args);
  }

  /** Returns a strategy. */
  @Authorized('apiKey', 'read')
  @Query(() => Strategy, { description: 'Returns a strategy.' })
  async strategy(@Arg('id', () => String, ID) id: string, @Ctx() context: RequestContext): Promise<Strategy> {
    return findStrategy(await withFees(this.deps, context), id);
  }

  /** Returns the strategies with the highest yields. */
  @Authorized('apiKey', 'read')
  @Directive(ABOUT_TEN_ITEMS)
  @Query(() => [Strategy], {
    description:
      'Returns the strategies of a token that accept deposits, the highest yield after fees first; at most ten.',
  })
  async bestStrategies(
    @Args(() => BestStrategiesArgs) { asset, network }: BestStrategiesArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly Strategy[]> {
    return bestStrategies(await withFees(this.deps, context), { asset, network, first: MAX_BEST });
  }

  /** Returns a strategy with its history. */
  @Authorized('apiKey', 'read')
  @Query(() => StrategyDetail, { description: 'Returns a strategy with its history.' })
  async strategyDetail(
    @Arg('strategyId', () => String, ID) strategyId: string,
    @Arg('wallet', () => AddressScalar, WALLET) given: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<StrategyDetail> {
    const wallet = given ?? undefined;
    if (wallet !== undefined) parsePositionOwner(this.deps, requireCustomer(context), wallet);
    return { strategy: await findStrategy(await withFees(this.deps, context), strategyId), wallet };
  }

  /** Returns the yields of a span of time. */
  @Directive(RATE_HISTORY)
  @FieldResolver(() => [RatePoint], {
    description:
      'Yields and share prices, the oldest first: the last one of every hour for 31 days, of every day for ever. A request may have four different ranges, and 20,000 hours and days of all strategies together.',
  })
  rateHistory(
    @Root() { strategy }: Strategy,
    @Arg('range', () => RateRange, { description: 'The span of time.' }) range: RateRange,
    @Ctx() context: RequestContext,
  ): Promise<readonly RatePoint[]> {
    return context.loader(this.createRateLoader).load(strategy, parseSpan(range));
  }

  private readonly createRateLoader = (context: RequestContext) =>
    createRateLoader(this.deps, () => this.deps.feesOf(context));
}

@Resolver(() => StrategyDetail)
export class StrategyDetailResolver {
  constructor(private readonly deps: StrategyDeps) {}

  /** Returns the yields of the last week. */
  @Directive(WEEK_HISTORY)
  @FieldResolver(() => [RatePoint], {
    description: 'Yields and share prices of the last seven days by the hour, the oldest first.',
  })
  rateHistory(@Root() { strategy }: StrategyDetail, @Ctx() context: RequestContext): Promise<readonly RatePoint[]> {
    return context.loader(this.createRateLoader).load(strategy.strategy, defaultSpan());
  }

  private readonly createRateLoader = (context: RequestContext) =>
    createRateLoader(this.deps, () => this.deps.feesOf(context));
}

@Resolver(() => MarketData)
export class MarketDataResolver {
  constructor(private readonly deps: Pick<StrategyDeps, 'pool'>) {}

  /** Returns the samples of the last day. */
  @Directive(RECENT_SAMPLES)
  @FieldResolver(() => [MarketSample], {
    nullable: true,
    description:
      'The last sample of each of the last 24 hours, the oldest first. Null in lists with the detail level BASIC.',
  })
  samples(
    @Root() { strategy, detail }: MarketData,
    @Ctx() context: RequestContext,
  ): Promise<readonly MarketSample[]> | null {
    return detail === 'FULL' ? context.loader(this.createSampleLoader).load(strategy) : null;
  }

  private readonly createSampleLoader = () => createSampleLoader(this.deps);
}
