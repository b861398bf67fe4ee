import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { RewardFlag } from '../../src/strategies/market/reward-rates';
import type { StrategyView } from '../../src/strategies/views/strategy-view';
import { Pagination } from '../schema/pagination';
import { AmountScalar, DateTimeScalar, JsonScalar, SafeIntScalar } from '../schema/scalars';
import { RewardFlagEnum } from './enums';
import { MarketData } from './market-types';

@ObjectType({ simpleResolvers: true, description: 'Display name and logo of a protocol.' })
export class ProtocolInfo {
  @Field(() => String, { description: 'Name of the protocol.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'URL of its logo.' })
  logo!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A block explorer.' })
export class StrategyExplorer {
  @Field(() => String, { description: 'Name of the explorer.' })
  name!: string;

  @Field(() => String, { description: 'URL of the explorer.' })
  url!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The chain of a strategy.' })
export class StrategyChain {
  @Field(() => String, { description: 'Name of the chain.' })
  name!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  id!: number;

  @Field(() => StrategyExplorer, { nullable: true, description: 'Its block explorer.' })
  explorer!: StrategyExplorer | undefined;

  @Field(() => String, { nullable: true, description: 'URL of its logo. Null when the deployment names none.' })
  logo!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A token of a strategy.' })
export class StrategyToken {
  @Field(() => String, { description: 'Name of the token.' })
  name!: string;

  @Field(() => String, { description: 'Address of the token.' })
  address!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => Int, { description: 'Number of decimals.' })
  decimals!: number;

  @Field(() => String, { nullable: true, description: 'URL of its logo.' })
  logo!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A reward that a market pays for deposits, besides interest.' })
export class StrategyReward {
  @Field(() => StrategyToken, { description: 'The token of the reward.' })
  token!: StrategyToken;

  @Field(() => Float, {
    nullable: true,
    description:
      'Annual reward rate (APR): value of the rewards per year divided by the value of all deposits, at current prices, as a fraction. Not compounded. 0 after the end. Null when unknown: see `flags`.',
  })
  apy!: number | undefined;

  @Field(() => AmountScalar, {
    nullable: true,
    description:
      'Annual emission to all deposits at the current rate, in the smallest unit of the reward token. Null when it cannot be read.',
  })
  emissionPerYear!: string | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'End of the reward. Null without one.' })
  endsAt!: Date | undefined;

  @Field(() => [RewardFlagEnum], { description: 'Why the rate is unknown or uncertain. Empty for most rewards.' })
  flags!: readonly RewardFlag[];
}

@ObjectType({ simpleResolvers: true, description: 'A market in which an asset earns interest.' })
@Directive('@key(fields: "id")')
export class Strategy {
  /** For the fields that are loaded on request. */
  strategy!: StrategyView['strategy'];

  @Field(() => ID, {
    description: 'Id of the strategy, such as `Aave-USDC-polygon`. Case does not matter in requests.',
  })
  id!: string;

  @Field(() => String, { description: 'The id in lower case. Accepted wherever an id is.' })
  slug!: string;

  @Field(() => String, { description: 'Address of the receipt token: aToken, vault share or Comet.' })
  asset!: string;

  @Field(() => Int, { description: 'Decimals of the receipt token.' })
  assetDecimals!: number;

  @Field(() => String, { description: 'Name of the receipt token.' })
  assetName!: string;

  @Field(() => [String], {
    description:
      'Actions that the strategy offers: `lend`, `withdraw`, and `claim` when it pays rewards. Where it has `request-lend` or `request-withdraw` beside them, `lend` or `withdraw` claims what was requested.',
  })
  availableActions!: readonly string[];

  @Field(() => String, {
    description: 'The protocol whose contracts are used: `aave-v3`, `erc4626`, `erc7540`, `compound-v3`.',
  })
  implementationSelector!: string;

  @Field(() => String, { description: 'Slug of the chain.' })
  network!: string;

  @Field(() => String, { description: 'Id of the chain.' })
  networkId!: string;

  @Field(() => String, { description: 'Name of the protocol, such as `Aave`.' })
  protocol!: string;

  @Field(() => String, { description: 'Address of the token that is deposited.' })
  underlyingAsset!: string;

  @Field(() => Int, { description: 'Decimals of the token that is deposited.' })
  underlyingDecimals!: number;

  @Field(() => Boolean, { description: 'True for a strategy that the deployment suggests.' })
  isDefault!: boolean;

  @Field(() => Boolean, { description: 'True when the deployment offers no deposits. Withdrawals stay possible.' })
  paused!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'Day on which the strategy began: YYYY-MM-DD. Null for an asset that may have been listed after its market began.',
  })
  startDate!: string | undefined;

  @Field(() => String, { description: 'Fee on the amount of a deposit, in basis points.' })
  fee!: string;

  @Field(() => String, { description: 'Fee on the profit at a withdrawal, in basis points.' })
  performanceFeeBps!: string;

  @Field(() => String, {
    description: 'Markup: further fee on the profit at a withdrawal, on top of `performanceFeeBps`, in basis points.',
  })
  markupFeeBps!: string;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Descriptions and links. Null in lists with the detail level BASIC.',
  })
  metadata!: Readonly<Record<string, unknown>> | undefined;

  @Field(() => ProtocolInfo, { description: 'Name and logo of the protocol.' })
  protocolInfo!: ProtocolInfo;

  @Field(() => StrategyChain, { description: 'The chain.' })
  chain!: StrategyChain;

  @Field(() => StrategyToken, { description: 'The receipt token.' })
  assetToken!: StrategyToken;

  @Field(() => StrategyToken, { description: 'The token that is deposited.' })
  underlyingToken!: StrategyToken;

  @Field(() => Float, { nullable: true, description: 'The same as `grossAPY`.' })
  apy!: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description: 'Average of `grossAPY` over the time since this service observes the market.',
  })
  avgApy!: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description:
      'Annual yield (APY) before fees, as a fraction: as the protocol states it, or from the growth of the share price in the last 24 hours. Null without enough observations.',
  })
  grossAPY!: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description:
      'Annual yield (APY) from the growth of the share price since the market began. For vaults, and for assets with an unknown listing date, since the first observation by this deployment. Null on the first day.',
  })
  inceptionApy!: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description: '`grossAPY` × (1 − (`performanceFeeBps` + `markupFeeBps`) / 10000).',
  })
  netAPY!: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description:
      'Sum of the `apy` of `rewards`, as a fraction, without those that are null or have the flag `UNCONFIRMED_PRICE`. Not included in the other yields. No fees are subtracted. Null when none remains, and without rewards.',
  })
  rewardAPY!: number | undefined;

  @Field(() => [StrategyReward], {
    nullable: true,
    description:
      'Rewards that the market pays besides interest, at most eight, also those that have ended. Null in lists with the detail level BASIC.',
  })
  rewards!: readonly StrategyReward[] | undefined;

  @Field(() => MarketData, { nullable: true, description: 'Market data. Null until the market was read.' })
  marketData!: MarketData | undefined;

  @Field(() => String, { nullable: true, description: 'URL of the logo.' })
  logourl!: string | undefined;

  @Field(() => [String], { description: 'Slugs of its categories.' })
  category!: readonly string[];
}

@ObjectType({ simpleResolvers: true, description: 'A page of strategies.' })
export class StrategyPage {
  @Field(() => [Strategy], { description: 'The strategies of this page.' })
  data!: readonly Strategy[];

  @Field(() => Pagination, { description: 'Position of this page in the list.' })
  pagination!: Pagination;
}

@ObjectType({ simpleResolvers: true, description: 'A strategy with its history.' })
export class StrategyDetail {
  /** The wallet whose position is shown. */
  wallet?: string | undefined;

  @Field(() => Strategy, { description: 'The strategy.' })
  strategy!: Strategy;
}
