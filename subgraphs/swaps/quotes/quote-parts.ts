import { Field, Float, Int, ObjectType } from 'type-graphql';
import { AmountScalar, DateTimeScalar, SafeIntScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'The token that is sold.' })
export class QuoteToken {
  @Field(() => String, { description: 'Address of the contract; the native coin in the form that was asked for.' })
  contract!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => String, { description: 'Name of the token.' })
  name!: string;

  @Field(() => Int, { description: 'Digits behind the point: one token is 10^decimals of its smallest unit.' })
  decimals!: number;

  @Field(() => SafeIntScalar, { description: 'Id of its chain; 0 for fiat.' })
  chainId!: number;

  @Field(() => AmountScalar, { description: 'In the smallest unit of the token. Fees are not taken off.' })
  amount!: string;

  @Field(() => Float, { nullable: true, description: 'US dollars; absent when no fresh price is known.' })
  amountInUSD!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'US dollars for one whole token.' })
  priceInUSD!: number | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Where the price comes from: `peg`, or the pool as in `uniswap-v3:0x…`.',
  })
  priceSource!: string | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the price was read.' })
  priceAsOf!: string | undefined;

  @Field(() => String, { nullable: true, description: 'Picture of the token.' })
  logoURI!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The token that is bought.' })
export class QuoteTokenOut extends QuoteToken {
  @Field(() => AmountScalar, { description: 'What is expected to arrive, in the smallest unit.' })
  expectedAmountOut!: string;

  @Field(() => AmountScalar, { description: 'The least that arrives, in the smallest unit.' })
  minAmountOut!: string;
}

@ObjectType({ simpleResolvers: true, description: 'One cost of a trade.' })
export class FeeLine {
  @Field(() => String, { description: '`platform`, `customer`, `bridgeAndSlippage`, `paymentRail` or `gas`.' })
  kind!: string;

  @Field(() => String, { description: 'What it is for, in words.' })
  label!: string;

  @Field(() => String, { description: 'In the smallest unit of the token `symbol`; may be negative when `signed`.' })
  amountRaw!: string;

  @Field(() => Int, { description: 'Digits behind the point of `amountRaw`.' })
  decimals!: number;

  @Field(() => String, { description: 'Symbol of the token that it is taken in.' })
  symbol!: string;

  @Field(() => String, { description: 'Who bears it: `tokenIn` or `tokenOut`.' })
  asset!: string;

  @Field(() => Float, { nullable: true, description: 'US dollars; absent when no fresh price is known.' })
  amountInUSD!: number | undefined;

  @Field(() => Boolean, { description: 'True when the amount may be negative: a gain.' })
  signed!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'Fees in sums.' })
export class FeeSummary {
  @Field(() => Float, { description: 'US dollars.' })
  platformFeesTotalInUSD!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'US dollars: the sum of the lines of kind `bridgeAndSlippage`; positive is a loss. Absent when one of them has no price.',
  })
  bridgeAndSlippageImpactOutUSD!: number | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What a trade costs beside its price.' })
export class FeeBreakdown {
  @Field(() => [FeeLine], { description: 'The fees, one by one.' })
  lines!: readonly FeeLine[];

  @Field(() => [FeeLine], { description: 'The same as `lines`.' })
  charges!: readonly FeeLine[];

  @Field(() => FeeSummary, { description: 'The same in sums.' })
  summary!: FeeSummary;
}

@ObjectType({ simpleResolvers: true, description: 'What the executing transaction is expected to cost.' })
export class GasEstimate {
  @Field(() => AmountScalar, { description: 'Units of gas.' })
  gasLimit!: string;

  @Field(() => AmountScalar, { nullable: true, description: 'Wei for a unit of gas.' })
  feePerGas!: string | undefined;

  @Field(() => Float, { nullable: true, description: 'US dollars; absent when no fresh price is known.' })
  amountInUSD!: number | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A pool or bridge that the trade goes through.' })
export class RouteLeg {
  @Field(() => String, { description: 'Who trades or moves.' })
  protocol!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Address of the token that goes in.' })
  tokenIn!: string;

  @Field(() => String, { description: 'Address of the token that comes out.' })
  tokenOut!: string;

  @Field(() => Int, { description: 'Share of the trade, in basis points.' })
  shareBps!: number;

  @Field(() => String, { description: 'Address of the pool.' })
  pool!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What trying the transaction on the newest block showed.' })
export class Simulation {
  @Field(() => String, { description: '`SUCCESS`, `INSUFFICIENT_BALANCE`, `REVERTED` or `UNAVAILABLE`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'In words.' })
  reason!: string | undefined;
}
