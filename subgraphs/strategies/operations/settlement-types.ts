import { Directive, Field, Float, Int, ObjectType } from 'type-graphql';
import { ONE_OR_TWO_ITEMS } from '../../schema/costs';
import { AddressScalar, AmountScalar, DateTimeScalar, SafeIntScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'Whether the order book quotes an order of one side now.' })
export class OrderBookSide {
  @Field(() => Boolean, { description: 'True when it quotes a small order.' })
  canOpenOrder!: boolean;

  @Field(() => Boolean, { description: 'True when the same order may be quoted later.' })
  retryable!: boolean;

  @Field(() => String, { nullable: true, description: '`ORDER_BOOK_REFUSED` when it quotes none.' })
  code!: string | undefined;

  @Field(() => String, { nullable: true, description: 'Reason of the order book.' })
  message!: string | undefined;

  @Field(() => String, { nullable: true, description: 'Type of the error of the order book.' })
  errorType!: string | undefined;

  @Field(() => AmountScalar, { description: 'Amount sold in the request, in the smallest unit of its token.' })
  probeSellAmount!: string;

  @Field(() => AmountScalar, { nullable: true, description: 'Quoted amount, in the smallest unit of its token.' })
  probeBuyAmount!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'Whether orders of a tokenized stock can be placed now.' })
export class StockOrderBook {
  @Field(() => OrderBookSide, { description: 'Orders that buy the stock.' })
  requestLend!: OrderBookSide;

  @Field(() => OrderBookSide, { description: 'Orders that sell it.' })
  requestWithdraw!: OrderBookSide;
}

@ObjectType({ simpleResolvers: true, description: 'An order at the order book.' })
export class SettlementOrder {
  @Field(() => String, { nullable: true, description: 'Id of the order at the order book. Null before it is signed.' })
  orderUid!: string | undefined;

  @Field(() => Boolean, { description: 'True once it is in the order book.' })
  posted!: boolean;

  @Field(() => String, { nullable: true, description: 'Id of the quote of the order book.' })
  quoteId!: string | undefined;

  @Field(() => String, { description: '`request-lend` or `request-withdraw`.' })
  action!: string;

  @Field(() => AmountScalar, { description: 'Amount sold, in the smallest unit of its token.' })
  sellAmount!: string;

  @Field(() => AmountScalar, { description: 'Least amount bought, in the smallest unit of its token.' })
  buyAmount!: string;

  @Field(() => String, {
    description:
      '`AWAITING_FUNDS`, `PREPARING`, `OPEN`, `CANCELLING`, `REFUND_DUE`, `REFUNDING`, `SWEEPING` (filled or refunded) or `ENDED`.',
  })
  status!: string;

  @Field(() => SafeIntScalar, { description: 'Last second in which it may be filled, in Unix seconds.' })
  validTo!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time at which it was posted.' })
  creationDate!: Date | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time at which it was filled.' })
  executionDate!: Date | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Amount that was sold.' })
  executedSellAmount!: string | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Amount that was bought.' })
  executedBuyAmount!: string | undefined;

  @Field(() => String, { nullable: true, description: 'Transaction that filled it.' })
  txHash!: string | undefined;

  @Field(() => Boolean, { description: 'True while it is going to be posted.' })
  canOpenOrder!: boolean;

  @Field(() => String, { nullable: true, description: 'Error code of the order book at the last attempt to post it.' })
  code!: string | undefined;

  @Field(() => String, { nullable: true, description: 'Why it is delayed.' })
  message!: string | undefined;

  @Field(() => Boolean, { description: 'True while the service goes on trying to post it.' })
  retryable!: boolean;

  @Field(() => String, { nullable: true, description: 'Reason of the last refusal.' })
  lastPostError!: string | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time of the last attempt to post it.' })
  lastPostAttemptAt!: Date | undefined;

  @Field(() => String, { nullable: true, description: 'The same as `code`.' })
  providerError!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What the wallet of an order holds of a token.' })
export class SettlementBalance {
  @Field(() => AddressScalar, { description: 'Address of the token.' })
  address!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => Int, { description: 'Decimals of the token.' })
  decimals!: number;

  @Field(() => AmountScalar, { description: 'Amount in the smallest unit.' })
  amountRaw!: string;

  @Field(() => String, { description: 'Amount in whole tokens, as a decimal.' })
  amountHumanized!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What the wallet of an order holds.' })
export class SettlementBalances {
  @Field(() => SettlementBalance, { description: 'The underlying asset.' })
  underlying!: SettlementBalance;

  @Field(() => SettlementBalance, { description: 'The stock.' })
  strategy!: SettlementBalance;
}

@ObjectType({ simpleResolvers: true, description: 'Times of an order.' })
export class SettlementTiming {
  @Field(() => DateTimeScalar, { description: 'Time of the request.' })
  requestedAt!: Date;

  @Field(() => SafeIntScalar, { description: 'Seconds since the request.' })
  ageSeconds!: number;

  @Field(() => SafeIntScalar, { description: 'Seconds from the request to the expiry of the order.' })
  deadlineSeconds!: number;

  @Field(() => DateTimeScalar, { description: 'Time from which an order that was not filled is refunded.' })
  refundAt!: Date;

  @Field(() => SafeIntScalar, { description: 'Seconds until then.' })
  secondsUntilRefund!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Prices of an order, in US dollars for one token.' })
export class SettlementPricing {
  @Field(() => String, { description: '`BUY` or `SELL`, of the stock.' })
  side!: string;

  @Field(() => Float, { description: 'Price when the order was created.' })
  referencePriceUsd!: number;

  @Field(() => Float, { nullable: true, description: 'Price now. Null while the issuer has none.' })
  livePriceUsd!: number | undefined;

  @Field(() => String, { description: 'Source of the prices: `issuer`.' })
  priceSource!: string;

  @Field(() => Float, {
    nullable: true,
    description: 'Change of the price since the order was created, in basis points.',
  })
  driftBps!: number | undefined;

  @Field(() => Int, { description: 'How much worse than its price the order may be filled, in basis points.' })
  slippageBps!: number;
}

@ObjectType({ simpleResolvers: true, description: 'A part of a step of a settlement.' })
export class SettlementLeg {
  @Field(() => String, { description: '`TRANSFER`, `ORDER` or `REFUND`.' })
  kind!: string;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Field(() => String, { description: 'Party that executes it.' })
  operator!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A step of a settlement.' })
export class SettlementStep {
  @Field(() => Int, { description: 'Position in the action, from 0.' })
  stepIndex!: number;

  @Field(() => String, { description: 'What the step does.' })
  label!: string;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Its transaction.' })
  txHash!: string | null;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [SettlementLeg], { description: 'Its parts.' })
  legs!: readonly SettlementLeg[];
}

@ObjectType({
  simpleResolvers: true,
  description: 'The settlement of an order of a tokenized stock, by a wallet that is used for this order only.',
})
export class StockSettlement {
  @Field(() => AddressScalar, { description: 'The wallet of the order.' })
  singleUseAddress!: string;

  @Field(() => Boolean, { description: 'True once the tokens are back in the wallet of the owner.' })
  fundsReturnedToWallet!: boolean;

  @Field(() => SettlementOrder, { description: 'The order.' })
  order!: SettlementOrder;

  @Field(() => SettlementBalances, {
    nullable: true,
    description: 'What the wallet holds. Null while the chain does not respond.',
  })
  balances!: SettlementBalances | undefined;

  @Field(() => SettlementTiming, { description: 'Times of the order.' })
  timing!: SettlementTiming;

  @Field(() => SettlementPricing, { description: 'Prices of the order.' })
  pricing!: SettlementPricing;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [SettlementStep], { description: 'Its steps, in execution order.' })
  suwSteps!: readonly SettlementStep[];
}
