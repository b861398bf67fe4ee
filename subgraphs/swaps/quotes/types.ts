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

@ObjectType({ simpleResolvers: true, description: 'An offer to swap, valid until its deadline.' })
export class SwapQuote {
  @Field(() => UuidScalar, { description: 'The same as `quoteId`.' })
  id!: string;

  @Field(() => UuidScalar, { description: 'Id of the quote, for the bytecode request.' })
  quoteId!: string;

  @Field(() => String, { description: '`pending`.' })
  status!: string;

  @Field(() => SafeIntScalar, { description: 'Time at which the quote expires, in Unix seconds.' })
  deadline!: number;

  @Field(() => DateTimeScalar, { description: 'The same time as `deadline`.' })
  deadlineDate!: string;

  @Field(() => String, { description: 'Provider that made the offer.' })
  provider!: string;

  @Field(() => String, { description: 'Slug of the origin chain; `fiat` for money at a bank.' })
  originChain!: string;

  @Field(() => String, { description: 'Slug of the destination chain; `fiat` for money at a bank.' })
  destinationChain!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the origin chain; 0 for fiat.' })
  chainIdIn!: number;

  @Field(() => SafeIntScalar, { description: 'Id of the destination chain; 0 for fiat.' })
  chainIdOut!: number;

  @Field(() => QuoteToken, { description: 'The token to sell.' })
  tokenIn!: QuoteToken;

  @Field(() => QuoteTokenOut, { description: 'The token to buy.' })
  tokenOut!: QuoteTokenOut;

  @Field(() => AmountScalar, { description: 'Expected output amount, in the smallest unit of `tokenOut`.' })
  expectedAmountOut!: string;

  @Field(() => AmountScalar, { description: 'Minimum output amount. The transaction reverts below it.' })
  minAmountOut!: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Maximum input amount, in the smallest unit of `tokenIn`. Only for an exact output amount.',
  })
  maxAmountIn!: string | undefined;

  @Field(() => DecimalFractionScalar, {
    description: 'Tolerated difference between the quoted and the executed price: a fraction of 1.',
  })
  slippage!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Loss against market prices in basis points, without the fees of `feeBreakdown`. Negative is better. Where a price is missing it is what the provider reports, and null when it reports nothing.',
  })
  priceImpactBps!: number | undefined;

  @Field(() => FeeBreakdown, { description: 'Fees between the input and the output value.' })
  feeBreakdown!: FeeBreakdown;

  @Field(() => GasEstimate, { description: 'Expected network fee.' })
  gasEstimate!: GasEstimate;

  @Field(() => Float, { description: 'Expected seconds from sending the transaction to the arrival of the token.' })
  estimatedDurationSeconds!: number;

  @Field(() => [RouteLeg], { description: 'The route, in execution order.' })
  route!: readonly RouteLeg[];

  @Field(() => Simulation, {
    nullable: true,
    description:
      'Result of the simulation. Null unless both addresses were given and there is a transaction to simulate.',
  })
  simulation!: Simulation | undefined;

  @Field(() => Boolean, { description: 'True when the service pays the gas.' })
  feeSponsorship!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Actual speed of the transfer: `fast` or `standard`. Null when the route has only one speed.',
  })
  transferSpeed!: string | undefined;

  @Field(() => UrlScalar, { nullable: true, description: 'URL that receives the events of this quote.' })
  webhookURL!: string | undefined;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Data of the provider. Send it unchanged in the bytecode request.',
  })
  rawQuote!: unknown;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The executing transaction of a quote, with the approvals before it.',
})
export class QuoteTransactionData extends TransactionItem {
  @Field(() => [TransactionItem], {
    nullable: true,
    description: 'EVM chains: approvals to send first. Empty when the allowance is sufficient.',
  })
  approvals?: readonly TransactionItem[];

  @Field(() => [TransactionItem], {
    nullable: true,
    description: 'EVM chains: all transactions in sending order, approvals first.',
  })
  transactions?: readonly TransactionItem[];
}

@ObjectType({
  simpleResolvers: true,
  description:
    'A quote. With both addresses also its action and its transactions, unless the simulation fails: see `quote.simulation`.',
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
    description: 'The executing transaction. Null when there is nothing to sign, as for a deposit.',
  })
  transactionData?: QuoteTransactionData;

  @Field(() => [TransactionItem], {
    nullable: true,
    description: 'All transactions in sending order, approvals first.',
  })
  transactions?: readonly TransactionItem[];
}

@ObjectType({ simpleResolvers: true, description: 'Reason why a provider has no quote.' })
export class NoQuoteReason {
  @Field(() => String, { description: 'Error code of the catalog.' })
  code!: string;

  @Field(() => String, { description: 'Error message.' })
  message!: string;
}

@ObjectType({ simpleResolvers: true, description: 'Result of one provider: a quote, or the reason why it has none.' })
export class ProviderQuoteOutcome {
  @Field(() => String, { description: 'The provider.' })
  provider!: string;

  @Field(() => SwapQuote, { nullable: true, description: 'The quote. Null when there is none.' })
  quote!: SwapQuote | undefined;

  @Field(() => NoQuoteReason, { nullable: true, description: 'Reason why there is no quote. Null when there is one.' })
  reason!: NoQuoteReason | undefined;
}
