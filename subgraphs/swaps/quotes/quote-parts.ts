import { Field, Float, Int, ObjectType } from 'type-graphql';
import { AmountScalar, DateTimeScalar, SafeIntScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'The token to sell.' })
export class QuoteToken {
  @Field(() => String, { description: 'Address of the contract. The native coin has the form that the request used.' })
  contract!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => String, { description: 'Name of the token.' })
  name!: string;

  @Field(() => Int, { description: 'Number of decimals: one token is 10^decimals of its smallest unit.' })
  decimals!: number;

  @Field(() => SafeIntScalar, { description: "Id of the token's chain; 0 for fiat." })
  chainId!: number;

  @Field(() => AmountScalar, { description: 'Amount in the smallest unit of the token. Fees are not subtracted.' })
  amount!: string;

  @Field(() => Float, { nullable: true, description: 'Amount in US dollars. Null when no fresh price is available.' })
  amountInUSD!: number | undefined;

  @Field(() => Float, { nullable: true, description: 'Price of one whole token in US dollars.' })
  priceInUSD!: number | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Source of the price: `peg`, or the pool as in `uniswap-v3:0x…`.',
  })
  priceSource!: string | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time at which the price was read.' })
  priceAsOf!: string | undefined;

  @Field(() => String, { nullable: true, description: "URL of the token's logo." })
  logoURI!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The token to buy.' })
export class QuoteTokenOut extends QuoteToken {
  @Field(() => AmountScalar, { description: 'Expected amount, in the smallest unit.' })
  expectedAmountOut!: string;

  @Field(() => AmountScalar, { description: 'Minimum amount, in the smallest unit.' })
  minAmountOut!: string;
}

@ObjectType({ simpleResolvers: true, description: 'One fee of a trade.' })
export class FeeLine {
  @Field(() => String, { description: '`platform`, `customer`, `bridgeAndSlippage`, `paymentRail` or `gas`.' })
  kind!: string;

  @Field(() => String, { description: 'Description of the fee.' })
  label!: string;

  @Field(() => String, {
    description: 'Amount in the smallest unit of the token `symbol`. May be negative when `signed` is true.',
  })
  amountRaw!: string;

  @Field(() => Int, { description: 'Number of decimals of `amountRaw`.' })
  decimals!: number;

  @Field(() => String, { description: 'Symbol of the token that the fee is taken in.' })
  symbol!: string;

  @Field(() => String, {
    description:
      'Side of the trade that bears the fee: `tokenIn` or `tokenOut`. `symbol` names the token of the amount: for gas it is the native coin, paid beside `tokenIn`.',
  })
  asset!: string;

  @Field(() => Float, { nullable: true, description: 'Amount in US dollars. Null when no fresh price is available.' })
  amountInUSD!: number | undefined;

  @Field(() => Boolean, { description: 'True when the amount may be negative, which is a gain.' })
  signed!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'Sums of the fees.' })
export class FeeSummary {
  @Field(() => Float, { description: 'Fees of the service itself in US dollars. The service charges none at present.' })
  platformFeesTotalInUSD!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Sum of the lines of kind `bridgeAndSlippage` in US dollars. Positive is a loss. Null when one of them has no price.',
  })
  bridgeAndSlippageImpactOutUSD!: number | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'Fees of a trade.' })
export class FeeBreakdown {
  @Field(() => [FeeLine], { description: 'The single fees. Read these: `charges` is the same list.' })
  lines!: readonly FeeLine[];

  @Field(() => [FeeLine], {
    description: 'The same list as `lines` under another name, which some client packages read. Do not add the two.',
  })
  charges!: readonly FeeLine[];

  @Field(() => FeeSummary, { description: 'Sums of the fees.' })
  summary!: FeeSummary;
}

@ObjectType({ simpleResolvers: true, description: 'Expected gas cost of the executing transaction.' })
export class GasEstimate {
  @Field(() => AmountScalar, { description: 'Gas limit, in units of gas.' })
  gasLimit!: string;

  @Field(() => AmountScalar, { nullable: true, description: 'Price of one unit of gas, in wei.' })
  feePerGas!: string | undefined;

  @Field(() => Float, { nullable: true, description: 'Cost in US dollars. Null when no fresh price is available.' })
  amountInUSD!: number | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A pool or bridge on the route.' })
export class RouteLeg {
  @Field(() => String, { description: 'Name of the protocol.' })
  protocol!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Address of the input token.' })
  tokenIn!: string;

  @Field(() => String, { description: 'Address of the output token.' })
  tokenOut!: string;

  @Field(() => Int, { description: 'Share of the trade in basis points.' })
  shareBps!: number;

  @Field(() => String, { description: 'Address of the pool.' })
  pool!: string;
}

@ObjectType({ simpleResolvers: true, description: 'Result of simulating the transaction on the latest block.' })
export class Simulation {
  @Field(() => String, { description: '`SUCCESS`, `INSUFFICIENT_BALANCE`, `REVERTED` or `UNAVAILABLE`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Description of the result.' })
  reason!: string | undefined;
}
