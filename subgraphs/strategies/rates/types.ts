import { Field, Float, ID, ObjectType } from 'type-graphql';
import type { RateView } from '../../../src/strategies/views/watch-rates';
import { AmountScalar, DateTimeScalar } from '../../schema/scalars';
import { MarketFlagEnum } from '../enums';

@ObjectType({ simpleResolvers: true, description: 'The rate of a strategy at a time. The same for every customer.' })
export class StrategyRate {
  @Field(() => ID, { description: 'Id of the strategy.' })
  strategyId!: string;

  @Field(() => String, { description: 'The id in lower case.' })
  slug!: string;

  @Field(() => DateTimeScalar, { description: 'Time of the block of the values.' })
  at!: Date;

  @Field(() => Float, {
    nullable: true,
    description: 'Annual yield (APY) before fees, as `Strategy.grossAPY`. Null without enough observations.',
  })
  grossAPY!: number | undefined;

  @Field(() => Float, { description: 'Assets for one share, both whole tokens.' })
  sharePrice!: number;

  @Field(() => AmountScalar, { description: 'All deposits, in the smallest unit of the underlying asset.' })
  tvl!: string;

  @Field(() => Float, { nullable: true, description: 'All deposits in US dollars. Null without a price.' })
  tvlUsd!: number | undefined;

  @Field(() => [MarketFlagEnum], { description: 'Warnings about the figures.' })
  flags!: RateView['flags'];
}
