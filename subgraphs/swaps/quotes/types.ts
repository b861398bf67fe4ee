import { Field, Float, Int, ObjectType } from 'type-graphql';
import {
  AmountScalar,
  DateTimeScalar,
  DecimalFractionScalar,
  JsonScalar,
  SafeIntScalar,
  UrlScalar,
  UuidScalar,
} from '../../schema/scalars';
import { FeeBreakdown, GasEstimate, QuoteToken, QuoteTokenOut, RouteLeg, Simulation } from './quote-parts';
import { SwapExecutionFields } from '../transactions/execution-fields';
import { TransactionItem } from '../transactions/transaction-item';

@ObjectType({ simpleResolvers: true, description: 'An offer to swap, good until its deadline.' })
export class SwapQuote {
  @Field(() => UuidScalar, { description: 'The same as `quoteId`.' })
  id!: string;

  @Field(() => UuidScalar, { description: 'Id of the quote; the bytecode route takes it.' })
  quoteId!: string;

  @Field(() => String, { description: '`pending`.' })
  status!: string;

  @Field(() => SafeIntScalar, { description: 'When the quote ends, in Unix seconds.' })
  deadline!: number;

  @Field(() => DateTimeScalar, { description: 'The same instant as `deadline`.' })
  deadlineDate!: string;

  @Field(() => String, { description: 'Who made the offer.' })
  provider!: string;

  @Field(() => String, { description: 'Slug of the chain that is paid on; `fiat` for money at a bank.' })
  originChain!: string;

  @Field(() => String, { description: 'Slug of the chain that receives; `fiat` for money at a bank.' })
  destinationChain!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the origin chain; 0 for fiat.' })
  chainIdIn!: number;

  @Field(() => SafeIntScalar, { description: 'Id of the destination chain; 0 for fiat.' })
  chainIdOut!: number;

  @Field(() => QuoteToken, { description: 'What is paid.' })
  tokenIn!: QuoteToken;

  @Field(() => QuoteTokenOut, { description: 'What is received.' })
  tokenOut!: QuoteTokenOut;

  @Field(() => AmountScalar, { description: 'What is expected to arrive, in the smallest unit of `tokenOut`.' })
  expectedAmountOut!: string;

  @Field(() => AmountScalar, { description: 'The least that arrives, or the transaction reverts.' })
  minAmountOut!: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'The most that is sold, in the smallest unit of `tokenIn`; only for an exact amount out.',
  })
  maxAmountIn!: string | undefined;

  @Field(() => DecimalFractionScalar, {
    description: 'How much worse than quoted the execution may be: fraction of 1.',
  })
  slippage!: string;

  @Field(() => Int, {
    description:
      'How much worse than the price of a very small trade, between chains than market prices, in basis points, fees aside. Negative is better.',
  })
  priceImpactBps!: number;

  @Field(() => FeeBreakdown, { description: 'What the difference between the two is made of.' })
  feeBreakdown!: FeeBreakdown;

  @Field(() => GasEstimate, { description: 'What the network takes for it.' })
  gasEstimate!: GasEstimate;

  @Field(() => Float, { description: 'From sending the transaction to the arrival of the token.' })
  estimatedDurationSeconds!: number;

  @Field(() => [RouteLeg], { description: 'The hops, in their order.' })
  route!: readonly RouteLeg[];

  @Field(() => Simulation, {
    nullable: true,
    description: 'Only when both addresses were given, and there is a transaction to try.',
  })
  simulation!: Simulation | undefined;

  @Field(() => Boolean, { description: 'True when the fees of the transfer are sponsored.' })
  feeSponsorship!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The speed that the transfer really has: `fast` or `standard`. Absent where there is no choice.',
  })
  transferSpeed!: string | undefined;

  @Field(() => UrlScalar, { nullable: true, description: 'Receiver of the events of this quote.' })
  webhookURL!: string | undefined;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Provider data, to be passed back unchanged to the bytecode request.',
  })
  rawQuote!: unknown;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The executing transaction of a quote, and the approvals before it.',
})
export class QuoteTransactionData extends TransactionItem {
  @Field(() => [TransactionItem], {
    nullable: true,
    description: 'EVM chains: to be sent first; empty when the allowance is enough.',
  })
  approvals?: readonly TransactionItem[];

  @Field(() => [TransactionItem], {
    nullable: true,
    description: 'EVM chains: everything in sending order, approvals first.',
  })
  transactions?: readonly TransactionItem[];
}

@ObjectType({
  simpleResolvers: true,
  description:
    'A quote. When both addresses were given, also its action and what executes it, unless that would revert: `quote.simulation` then says why.',
})
export class SwapQuoteResult extends SwapExecutionFields {
  @Field(() => SwapQuote, { description: 'The quote.' })
  quote!: SwapQuote;

  @Field(() => UuidScalar, { nullable: true, description: 'Id of the action.' })
  id?: string;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Id of the origin chain.' })
  chainId?: number;

  @Field(() => String, { nullable: true, description: 'Type of the action.' })
  type?: string;

  @Field(() => QuoteTransactionData, {
    nullable: true,
    description: 'Absent when there is nothing to sign: a deposit.',
  })
  transactionData?: QuoteTransactionData;

  @Field(() => [TransactionItem], { nullable: true, description: 'Everything in sending order, approvals first.' })
  transactions?: readonly TransactionItem[];
}

@ObjectType({ simpleResolvers: true, description: 'Why there is no quote.' })
export class NoQuoteReason {
  @Field(() => String, { description: 'A code of the error catalog.' })
  code!: string;

  @Field(() => String, { description: 'The same in words.' })
  message!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What one provider said: a quote, or the reason why there is none.' })
export class ProviderQuoteOutcome {
  @Field(() => String, { description: 'The provider.' })
  provider!: string;

  @Field(() => SwapQuote, { nullable: true, description: 'Its offer; null when it made none.' })
  quote!: SwapQuote | undefined;

  @Field(() => NoQuoteReason, { nullable: true, description: 'Why it made none.' })
  reason!: NoQuoteReason | undefined;
}
