import { Directive, Field, Float, Int, ObjectType } from 'type-graphql';
import type { StaleReason } from '../../../src/strategies/positions/spot-position';
import { HEAVY_OBJECT } from '../../schema/costs';
import { DateTimeScalar, SafeIntScalar } from '../../schema/scalars';
import { PositionProblemEnum } from './enums';

@ObjectType({ simpleResolvers: true, description: 'An amount of a token. Profits may be negative.' })
export class PositionAmount {
  @Field(() => String, { description: 'Address of the token.' })
  asset!: string;

  @Field(() => Int, { description: 'Decimals of the token.' })
  decimals!: number;

  @Field(() => String, { description: 'The amount as an exact decimal.' })
  humanized!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => String, { description: 'The amount in the smallest unit.' })
  value!: string;

  @Field(() => String, { nullable: true, description: 'US dollars as an exact decimal. Null without a price.' })
  valueUSD!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The gain on what is still deposited. Negative for a loss.' })
export class PositionProfit extends PositionAmount {
  @Field(() => String, {
    description: 'The gain after the fees of a full withdrawal. A lower bound while some of the history is uncertain.',
  })
  afterFees!: string;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'A position at a block. Cost and profits are null while the history of the position is uncertain; `staleReason` has the reason. In lists they are also null for an empty position, which has rewards to claim.',
})
export class SpotPosition {
  @Field(() => Float, { nullable: true, description: 'The same as `grossAPY`.' })
  apy!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Average of `grossAPY` over the time of observation.' })
  avgApy!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Annual yield (APY) before fees, as a fraction.' })
  grossAPY!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Annual yield (APY) since the market began, as a fraction.' })
  inceptionApy!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Annual yield (APY) after fees, as a fraction.' })
  netAPY!: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description:
      'Annual yield (APY) from the growth of the share price in the last 7 days while the wallet held shares. Null for less than a day.',
  })
  realizedApy7d!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'The same over the last 30 days.' })
  realizedApy30d!: number | undefined;

  @Field(() => PositionAmount, { nullable: true, description: 'Average price of one whole share.' })
  avgPurchasePrice!: PositionAmount | undefined;

  @Field(() => PositionAmount, { nullable: true, description: 'Value minus deposits, plus withdrawals.' })
  cumulativeProfit!: PositionAmount | undefined;

  @Field(() => PositionAmount, {
    description:
      "What a withdrawal of everything would pay, the protocol's fees included. Shares of a requested withdrawal count until their assets are claimed.",
  })
  currentPosition!: PositionAmount;

  @Field(() => PositionAmount, { nullable: true, description: 'Cost of what is still deposited, at average cost.' })
  principal!: PositionAmount | undefined;

  @Field(() => PositionProfit, { nullable: true, description: 'Value minus principal.' })
  profit!: PositionProfit | undefined;

  @Field(() => PositionAmount, {
    nullable: true,
    description: 'Gain on what was withdrawn. `cumulativeProfit` is the sum of this and `profit`.',
  })
  realizedProfit!: PositionAmount | undefined;

  @Field(() => PositionAmount, { description: 'Shares: vault shares, scaled aTokens, principal of a Comet.' })
  currentPositionInShares!: PositionAmount;

  @Field(() => PositionAmount, { description: 'Balance of the receipt token.' })
  receiptBalance!: PositionAmount;

  @Field(() => PositionAmount, { description: 'The same as `currentPosition`.' })
  underlyingBalance!: PositionAmount;

  @Field(() => Float, { nullable: true, description: '`profit` in US dollars. Null without a price.' })
  profitInUSD!: string | undefined;

  @Field(() => Float, { nullable: true, description: '`currentPosition` in US dollars. Null without a price.' })
  underlyingBalanceUSD!: string | undefined;

  @Field(() => [PositionAmount], {
    description:
      'What can be claimed. Rewards, each in its own token, with the action `claim`. In asynchronous vaults: shares of fulfilled deposits with `lend`, assets of fulfilled withdrawals with `withdraw`.',
  })
  availableToClaim!: readonly PositionAmount[];

  @Field(() => [PositionAmount], { description: 'What may be withdrawn now. Empty when nothing may.' })
  availableToWithdraw!: readonly PositionAmount[];

  @Field(() => Boolean, {
    description: 'False when the limits of the protocol are not reliable: `availableToWithdraw` is everything then.',
  })
  isAvailableTrusted!: boolean;

  @Field(() => [PositionAmount], {
    description:
      'Deposits that the vault has not fulfilled yet, and the dollars of open purchases of a tokenized stock. They count in no other amount until their shares are claimed or bought.',
  })
  requestedToLend!: readonly PositionAmount[];

  @Field(() => [PositionAmount], { description: 'The same in shares, at the current price.' })
  requestedToLendInShares!: readonly PositionAmount[];

  @Field(() => [PositionAmount], {
    description:
      'Withdrawals that the vault has not fulfilled yet, and open sales of a tokenized stock, at the current price. They are a part of `currentPosition`.',
  })
  requestedToWithdraw!: readonly PositionAmount[];

  @Field(() => [PositionAmount], { description: 'The same in shares.' })
  requestedToWithdrawInShares!: readonly PositionAmount[];

  @Field(() => Boolean, {
    description:
      'True while cost and profits are uncertain, some rewards cannot be read, or the position is the last known one.',
  })
  stale!: boolean;

  @Field(() => PositionProblemEnum, { nullable: true, description: 'Why the position is stale.' })
  staleReason!: StaleReason | undefined;

  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  asOf!: Date;

  @Field(() => SafeIntScalar, { description: 'Number of the block.' })
  blockNumber!: bigint;
}

@ObjectType({ simpleResolvers: true, description: 'What a wallet earned with a strategy.' })
export class ProfitAndLoss {
  @Field(() => PositionAmount, { nullable: true, description: 'Cost of what is still deposited.' })
  principal!: PositionAmount | undefined;

  @Field(() => PositionAmount, { nullable: true, description: 'Deposits minus withdrawals.' })
  netDeposits!: PositionAmount | undefined;

  @Field(() => PositionAmount, { description: 'What a withdrawal of everything would pay.' })
  currentPosition!: PositionAmount;

  @Field(() => PositionProfit, { nullable: true, description: 'Gain on what is still deposited.' })
  profit!: PositionProfit | undefined;

  @Field(() => PositionAmount, { nullable: true, description: 'Gain on what was withdrawn.' })
  realizedProfit!: PositionAmount | undefined;

  @Field(() => PositionAmount, { nullable: true, description: 'The sum of both gains.' })
  cumulativeProfit!: PositionAmount | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A position of a wallet in a strategy.' })
@Directive(HEAVY_OBJECT)
export class StrategyPosition {
  @Field(() => SpotPosition, { description: 'The position now.' })
  spotPosition!: SpotPosition;

  @Field(() => ProfitAndLoss, { description: 'What the wallet earned.' })
  profitAndLoss!: ProfitAndLoss;
}
