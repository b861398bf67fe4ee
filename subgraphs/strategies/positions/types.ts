import { Directive, Field, Float, Int, ObjectType } from 'type-graphql';
import type { HistoryProblem } from '../../../src/strategies/positions/check-history';
import type { PositionView, WalletEarn as WalletEarnView } from '../../../src/strategies/positions/wallet-earn';
import { HEAVY_OBJECT } from '../../schema/costs';
import { Pagination } from '../../schema/pagination';
import { AddressScalar, AmountScalar, DateTimeScalar, SafeIntScalar, UuidScalar } from '../../schema/scalars';
import { Strategy } from '../types';
import { PositionChangeTypeEnum, PositionProblemEnum, SnapshotStateEnum } from './enums';

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar, { description: 'The address.' })
  address!: string;
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "id")')
export class Action {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;
}

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
  @Field(() => String, { description: 'The gain minus the fees that a withdrawal of everything would cost.' })
  afterFees!: string;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'A position at a block. Cost and profits are null while the history of the position is not known for certain: `staleReason` says why.',
})
export class SpotPosition {
  @Field(() => Float, { nullable: true, description: 'The same as `grossAPY`.' })
  apy!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Average of `grossAPY` over the time of observation.' })
  avgApy!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Yield of a year before fees, as a fraction.' })
  grossAPY!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Yield of a year since the market began, as a fraction.' })
  inceptionApy!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Yield of a year after fees, as a fraction.' })
  netAPY!: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description:
      'Yield of a year that the share price earned in the last 7 days while the wallet held shares. Null for less than a day.',
  })
  realizedApy7d!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'The same over the last 30 days.' })
  realizedApy30d!: number | undefined;

  @Field(() => PositionAmount, { nullable: true, description: 'Average price of one whole share.' })
  avgPurchasePrice!: PositionAmount | undefined;

  @Field(() => PositionAmount, { nullable: true, description: 'Value minus deposits, plus withdrawals.' })
  cumulativeProfit!: PositionAmount | undefined;

  @Field(() => PositionAmount, {
    description: "What a withdrawal of everything would pay, the protocol's fees included.",
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

  @Field(() => PositionAmount, { description: 'Balance of the token that shows a deposit.' })
  receiptBalance!: PositionAmount;

  @Field(() => PositionAmount, { description: 'The same as `currentPosition`.' })
  underlyingBalance!: PositionAmount;

  @Field(() => Float, { nullable: true, description: '`profit` in US dollars. Null without a price.' })
  profitInUSD!: string | undefined;

  @Field(() => Float, { nullable: true, description: '`currentPosition` in US dollars. Null without a price.' })
  underlyingBalanceUSD!: string | undefined;

  @Field(() => [PositionAmount], { description: 'Withdrawals that can be claimed. Empty: the protocols pay at once.' })
  availableToClaim!: readonly PositionAmount[];

  @Field(() => [PositionAmount], { description: 'What may be withdrawn now. Empty when nothing may.' })
  availableToWithdraw!: readonly PositionAmount[];

  @Field(() => Boolean, {
    description: 'False when the limits of the protocol are not reliable: `availableToWithdraw` is everything then.',
  })
  isAvailableTrusted!: boolean;

  @Field(() => [PositionAmount], { description: 'Deposits that wait. Empty: the protocols accept at once.' })
  requestedToLend!: readonly PositionAmount[];

  @Field(() => [PositionAmount], { description: 'The same in shares.' })
  requestedToLendInShares!: readonly PositionAmount[];

  @Field(() => [PositionAmount], { description: 'Withdrawals that wait. Empty: the protocols pay at once.' })
  requestedToWithdraw!: readonly PositionAmount[];

  @Field(() => [PositionAmount], { description: 'The same in shares.' })
  requestedToWithdrawInShares!: readonly PositionAmount[];

  @Field(() => Boolean, { description: 'True while cost and profits are not known for certain.' })
  stale!: boolean;

  @Field(() => PositionProblemEnum, { nullable: true, description: 'Why the position is stale.' })
  staleReason!: HistoryProblem | undefined;

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

@ObjectType({ simpleResolvers: true, description: 'A change of a deposit, with what it moved.' })
export class HistoricPayload {
  @Field(() => PositionAmount, { nullable: true, description: 'Assets. Null when their worth is unknown.' })
  amount!: PositionAmount | undefined;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Assets in the smallest unit, before fees of this service.',
  })
  amountBeforeFees!: string | undefined;

  @Field(() => String, { description: 'The wallet whose deposit changed.' })
  fromAddress!: string;

  @Field(() => String, { description: 'Hash of the transaction.' })
  transactionHash!: string;

  @Field(() => SafeIntScalar, { description: 'Number of the block.' })
  blockNumber!: bigint;

  @Field(() => Int, { description: 'Index of the log in its block.' })
  logIndex!: number;

  @Field(() => String, { description: 'Id of the strategy.' })
  strategyId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A change of a deposit.' })
export class HistoricEntry {
  @Field(() => String, { description: '`lend`, `withdraw`, `transfer-in` or `transfer-out`.' })
  action!: string;

  @Field(() => String, { description: 'The wallet.' })
  wallet!: string;

  @Field(() => HistoricPayload, { description: 'What it moved.' })
  payload!: HistoricPayload;

  @Field(() => String, { description: '`chain`: the entry was read from the logs of the chain.' })
  source!: string;

  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  updatedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Null: entries are never deleted.' })
  deletedAt!: Date | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A position of a wallet in a strategy.' })
@Directive(HEAVY_OBJECT)
export class StrategyPosition {
  @Field(() => SpotPosition, { description: 'The position now.' })
  spotPosition!: SpotPosition;

  @Field(() => ProfitAndLoss, { description: 'What the wallet earned.' })
  profitAndLoss!: ProfitAndLoss;
}

@ObjectType({ simpleResolvers: true, description: 'A position in the overview of a wallet.' })
export class EarnPosition {
  /** For the actions, which are loaded on request. */
  view!: PositionView;
  wallet!: string;

  @Field(() => SpotPosition, { description: 'The position now.' })
  spotPosition!: SpotPosition;

  @Field(() => Strategy, { description: 'The strategy.' })
  strategy!: Strategy;
}

@ObjectType({ simpleResolvers: true, description: 'Sums over all positions.' })
export class EarnSummary {
  @Field(() => Float, { description: 'Sum of the profits that are known, in US dollars.' })
  totalProfitInUSD!: string;

  @Field(() => Float, { description: 'Sum of the values, in US dollars. Positions without a price are left out.' })
  totalUnderlyingBalanceUSD!: string;
}

@ObjectType({ simpleResolvers: true, description: 'State of the section.' })
export class EarnSnapshot implements Omit<WalletEarnView['snapshot'], never> {
  @Field(() => SnapshotStateEnum, { description: 'State.' })
  state!: WalletEarnView['snapshot']['state'];

  @Field(() => DateTimeScalar, { description: 'Time of the computation.' })
  computedAt!: Date;

  @Field(() => String, { nullable: true, description: 'Why the state is not `fresh`.' })
  staleReason!: string | undefined;

  @Field(() => Boolean, { description: 'False: each answer is read from the chains.' })
  deltaApplied!: boolean;

  @Field(() => String, { nullable: true, description: 'Null while `deltaApplied` is false.' })
  deltaReason!: string | undefined;

  @Field(() => Int, { description: 'Number of actions of the wallet in strategies that have not ended.' })
  pendingActionCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How old the positions are.' })
export class EarnStaleness {
  @Field(() => Int, { description: 'Number of positions whose cost is not known for certain.' })
  stalePositions!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time of the oldest block. Null without positions.' })
  oldestAsOf!: Date | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A strategy that could not be read.' })
export class EarnError {
  @Field(() => String, { description: 'Code of the error, as in `errors[].extensions.code`.' })
  code!: string;

  @Field(() => String, { description: 'Text for people; it may change.' })
  message!: string;

  @Field(() => String, { nullable: true, description: 'Id of the strategy. Null for a chain that was never read.' })
  strategyId!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What a wallet has in strategies.' })
@Directive(HEAVY_OBJECT)
export class WalletEarn {
  @Field(() => [EarnPosition], { description: 'Positions in the order of the catalog. Dust is left out.' })
  positions!: readonly EarnPosition[];

  @Field(() => EarnSummary, { description: 'Sums over all positions.' })
  summary!: EarnSummary;

  @Field(() => EarnSnapshot, { description: 'State of this section.' })
  snapshot!: EarnSnapshot;

  @Field(() => EarnStaleness, { description: 'How old the positions are.' })
  staleness!: EarnStaleness;

  @Field(() => [EarnError], { description: 'Strategies that could not be read.' })
  errors!: readonly EarnError[];
}

@ObjectType({ simpleResolvers: true, description: 'A change of a deposit.' })
export class PositionChange {
  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  at!: Date;

  @Field(() => PositionChangeTypeEnum, { description: 'How the deposit changed.' })
  type!: string;

  @Field(() => PositionAmount, { nullable: true, description: 'Assets. Null when their worth is unknown.' })
  amount!: PositionAmount | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Shares in their smallest unit.' })
  shares!: string | undefined;

  @Field(() => String, { nullable: true, description: 'Price of one whole share, as an exact decimal.' })
  sharePrice!: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'US dollars at the price of that day, as an exact decimal. Null when no price of it is stored.',
  })
  valueUSD!: string | undefined;

  @Field(() => String, { description: 'Hash of the transaction.' })
  txHash!: string;

  @Field(() => UuidScalar, { nullable: true, description: 'Action that sent the transaction. Null for others.' })
  actionId!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A page of the changes of a deposit.' })
export class PositionHistoryPage {
  @Field(() => [PositionChange], { description: 'The changes of this page, the newest first.' })
  data!: readonly PositionChange[];

  @Field(() => Pagination, { description: 'Position of this page in the list.' })
  pagination!: Pagination;

  @Field(() => Boolean, { description: 'True while the history is not known for certain.' })
  stale!: boolean;
}
