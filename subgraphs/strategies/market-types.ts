import { Field, Float, ObjectType } from 'type-graphql';
import type { MarketFlag } from '../../src/strategies/views/market-figures';
import type { DetailLevel, MarketDataView } from '../../src/strategies/views/strategy-view';
import { AmountScalar, DateTimeScalar } from '../schema/scalars';
import { MarketFlagEnum } from './enums';

@ObjectType({ simpleResolvers: true, description: 'The value of all deposits at a time.' })
export class MarketSample {
  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  at!: Date;

  @Field(() => AmountScalar, { description: 'All deposits, in the smallest unit of the underlying token.' })
  tvl!: string;

  @Field(() => Float, { nullable: true, description: 'All deposits in US dollars. Null without a price.' })
  tvlUsd!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Price of the underlying token in US dollars.' })
  priceUsd!: number | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'State of the market of a strategy on its chain.' })
export class MarketData {
  /** For the samples, which are loaded on request. */
  strategy!: MarketDataView['strategy'];
  detail!: DetailLevel;

  @Field(() => DateTimeScalar, { description: 'Time at which this service read the market.' })
  lastRefreshedAt!: Date;

  @Field(() => Float, { description: 'Underlying tokens for one share, both whole tokens.' })
  sharePrice!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Change of the share price in 24 hours, as a fraction. Null without an observation of a day before.',
  })
  sharePriceChange24h!: number | undefined;

  @Field(() => DateTimeScalar, { description: 'Time of the block that the share price is of.' })
  sharePriceRefreshedAt!: Date;

  @Field(() => AmountScalar, { description: 'All deposits, in the smallest unit of the underlying token.' })
  tvl!: string;

  @Field(() => Float, {
    nullable: true,
    description: 'Change of all deposits in 24 hours, as a fraction. Null without an observation of a day before.',
  })
  tvlChange24h!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'All deposits in US dollars. Null without a price.' })
  tvlUsd!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Price of the underlying token in US dollars.' })
  usdRate!: number | undefined;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'What all depositors together may withdraw now. Null when the protocol does not state it, as vaults.',
  })
  liquidity!: string | undefined;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'What may still be deposited. Null without a limit, and when the protocol does not state it.',
  })
  depositLimit!: string | undefined;

  @Field(() => Boolean, { description: 'True while the market and the deployment accept deposits.' })
  acceptsDeposits!: boolean;

  @Field(() => Boolean, {
    description: 'False while the market refuses withdrawals. Vaults do not state it.',
  })
  allowsWithdrawals!: boolean;

  @Field(() => Boolean, {
    description: 'True when the market was not read for 15 minutes, or the block that was read is older.',
  })
  stale!: boolean;

  @Field(() => [MarketFlagEnum], { description: 'Warnings about the data. Empty for most markets.' })
  flags!: readonly MarketFlag[];
}

@ObjectType({ simpleResolvers: true, description: 'Yields and share price of a strategy at a time.' })
export class RatePoint {
  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  at!: Date;

  @Field(() => Float, { nullable: true, description: 'Annual yield (APY) before fees, as a fraction.' })
  grossAPY!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Annual yield (APY) after fees, as a fraction.' })
  netAPY!: number | undefined;

  @Field(() => Float, { description: 'Underlying tokens for one share, both whole tokens.' })
  sharePrice!: number;
}
