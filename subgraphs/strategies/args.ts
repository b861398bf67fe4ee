import { ArgsType, Field, InputType, Int } from 'type-graphql';
import type { RateStep, RequestedSpan } from '../../src/strategies/views/rate-history';
import type { StrategyFilter, StrategySort } from '../../src/strategies/views/select-strategies';
import type { DetailLevel } from '../../src/strategies/views/strategy-view';
import { ChainNameScalar, DateTimeScalar } from '../schema/scalars';
import { DetailLevelEnum, RateStepEnum, StrategySortEnum } from './enums';

@ArgsType()
export class StrategyFilterArgs implements StrategyFilter {
  @Field(() => ChainNameScalar, { nullable: true, description: 'Slug or id of a chain.' })
  network?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name of a protocol, such as `Aave` or `aave-v3`. Case does not matter.',
  })
  protocol?: string | null;

  @Field(() => String, { nullable: true, description: 'Slug of a category. Case does not matter.' })
  category?: string | null;

  @Field(() => String, { nullable: true, description: 'Address or symbol of the token that is deposited.' })
  asset?: string | null;

  @Field(() => StrategySortEnum, { nullable: true, description: 'Order of the list. Default `CATALOG`.' })
  sort?: StrategySort | null;
}

@ArgsType()
export class StrategiesArgs extends StrategyFilterArgs {
  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 500. Default 100.' })
  limit?: number | null;

  @Field(() => DetailLevelEnum, {
    nullable: true,
    description: 'How much of each strategy to return. Default `BASIC`.',
  })
  detail?: DetailLevel | null;
}

@ArgsType()
export class StrategiesConnectionArgs extends StrategyFilterArgs {
  @Field(() => Int, { nullable: true, description: 'Number of strategies, 1 to 100. Default 20.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Cursor of a strategy in the same list: the strategies after it are returned. Default: the first ones.',
  })
  after?: string | null;
}

@ArgsType()
export class BestStrategiesArgs {
  @Field(() => String, { description: 'Address or symbol of the token to deposit.' })
  asset!: string;

  @Field(() => ChainNameScalar, { nullable: true, description: 'Slug or id of a chain. Default: all chains.' })
  network?: string | null;
}

@InputType({ description: 'A span of time with at most 500 steps.' })
export class RateRange implements RequestedSpan {
  @Field(() => DateTimeScalar, { description: 'Begin.' })
  from!: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'End, exclusive. Default: now.' })
  to?: string | null;

  @Field(() => RateStepEnum, {
    nullable: true,
    description: 'Length of a step, which has at most one point: the last one. Default: the shortest that fits.',
  })
  step?: RateStep | null;
}
