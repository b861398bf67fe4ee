import { Directive, Field, Int, ObjectType } from 'type-graphql';
import { HEAVY_OBJECT, ONE_OR_TWO_ITEMS } from '../../schema/costs';
import type { ActionType } from '../../../src/transactions/action-plan';
import { Pagination } from '../../schema/pagination';
import {
  AddressScalar,
  AmountScalar,
  DateTimeScalar,
  SafeIntScalar,
  UrlScalar,
  UuidScalar,
} from '../../schema/scalars';
import { Amounts, AssetChain, AssetToken } from './amount-types';
import { ActionStatusEnum, ActionTypeEnum, SUBSTATUS_DESCRIPTION } from './enums';

type Status = keyof typeof ActionStatusEnum;

@ObjectType({ simpleResolvers: true, description: 'A transaction of an action.' })
export class ActionTransaction {
  @Field(() => AssetChain, { description: 'Chain of the transaction.' })
  chain!: AssetChain;

  @Field(() => String, { description: 'Transaction hash, or signature on Solana.' })
  txHash!: string;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Block or slot. Null before the transaction is mined.' })
  blockNumber!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time of the block.' })
  timestamp!: Date | null;

  @Field(() => ActionStatusEnum, {
    description: '`PENDING` until the transaction is final, then `SUCCESS` or `FAILED`.',
  })
  status!: Status;
}

@ObjectType({ simpleResolvers: true, description: 'One fee of an action.' })
export class ActionFee {
  @Field(() => String, {
    description:
      '`platform`, `customer`, `bridgeAndSlippage`, `paymentRail`, `gas`, `performance` or `markup`. `gas` is an estimate with a margin.',
  })
  type!: string;

  @Field(() => String, { description: 'Amount as a decimal in `currency`.' })
  amount!: string;

  @Field(() => String, { description: 'Currency of `amount`: `USD`.' })
  currency!: string;

  @Field(() => String, { nullable: true, description: 'Symbol of the token that the fee is taken in.' })
  token?: string | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Fee in the smallest unit of the token.' })
  tokenAmount?: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'Fees of an action.' })
export class ActionFees {
  @Field(() => String, { description: 'Sum of the breakdown, as a decimal in `currency`.' })
  total!: string;

  @Field(() => String, { description: 'Currency of `total`: `USD`.' })
  currency!: string;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [ActionFee], { description: 'The single fees.' })
  breakdown!: readonly ActionFee[];
}

@ObjectType({ simpleResolvers: true, description: 'One operation within a step.' })
export class ActionLeg {
  @Field(() => String, {
    description:
      '`APPROVAL`, `SWAP`, `BRIDGE`, `DEPOSIT`, `WITHDRAW`, `REQUEST`, `CLAIM`, `TRANSFER`, `FIAT_IN`, `FIAT_OUT`, `ORDER`, `REFUND` or `DEPLOYMENT`.',
  })
  kind!: string;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Field(() => String, { description: 'Party that executes it: `USER`, `PROVIDER` or `SERVICE`.' })
  operator!: string;
}

@ObjectType({ simpleResolvers: true, description: 'One transaction or payment of an action.' })
export class ActionStep {
  @Field(() => Int, { description: 'Position of the step, from 0.' })
  stepIndex!: number;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Hash of its transaction. Null until the transaction was found.',
  })
  txHash!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Hash of the user operation. Null when the step is not a user operation.',
  })
  userOperationHash!: string | null;

  @Field(() => String, { nullable: true, description: 'Reason of the failure. Null unless the step failed.' })
  failureReason!: string | null;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [ActionLeg], { description: 'Operations of the step, in execution order.' })
  legs!: readonly ActionLeg[];
}

@ObjectType({
  simpleResolvers: true,
  description:
    'The refund of an action that could not be completed: of a token (`token` and `chain` are set) or of fiat (`currency` is ' +
    'set). The token may differ from the token sold, when the refund happens after a first swap.',
})
export class ActionRefund {
  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED` or `FAILED`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Transaction hash. Null for a payment to a bank.' })
  txHash!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'URL of the transaction at the block explorer.' })
  txUrl!: string | null;

  @Field(() => AssetToken, { nullable: true, description: 'The refunded token. Null for fiat.' })
  token!: AssetToken | null;

  @Field(() => AssetChain, {
    nullable: true,
    description: 'Chain of the refund. It may be the destination chain. Null for fiat.',
  })
  chain!: AssetChain | null;

  @Field(() => String, { nullable: true, description: '`BRL` or `USD`. Null for a token.' })
  currency!: string | null;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Amount in the smallest unit. Null when the provider did not report it.',
  })
  amountRaw!: string | null;

  @Field(() => String, { nullable: true, description: 'Amount as an exact decimal.' })
  amountHumanized!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Amount in US dollars as a decimal: at the price of the quote for the token sold, else at the price of the refund time.',
  })
  amountInUSD!: string | null;

  @Field(() => AddressScalar, {
    nullable: true,
    description: 'Wallet that receives the refund. Null for a payment to a bank.',
  })
  receiverAddress!: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A transaction that any wallet may send to complete the transfer. The sender pays only the gas.',
})
export class CompletionCall {
  @Field(() => String, { description: 'Id of the chain, as decimal digits.' })
  chainId!: string;

  @Field(() => String, { description: 'Contract to call.' })
  to!: string;

  @Field(() => String, { description: 'Calldata in hexadecimal.' })
  data!: string;

  @Field(() => AmountScalar, { description: 'Native coin to send with the call, in wei.' })
  value!: string;

  @Field(() => String, { description: 'Wallet that is expected to send the transaction.' })
  from!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "A movement of a customer's money: a swap, transfer, ramp payment, or an operation of a strategy.",
})
@Directive('@key(fields: "id")')
@Directive(HEAVY_OBJECT)
export class Action {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => UuidScalar, { nullable: true, description: 'Id of the quote that the action executes.' })
  quoteId!: string | null;

  @Field(() => String, { nullable: true, description: 'Strategy that the action deposits into or withdraws from.' })
  strategyId!: string | null;

  @Field(() => String, { nullable: true, description: 'Slug of the strategy.' })
  strategySlug!: string | null;

  @Field(() => ActionTypeEnum, { description: 'Type of the action.' })
  type!: ActionType;

  @Field(() => ActionStatusEnum, { description: 'Status of the action.' })
  status!: Status;

  @Field(() => String, {
    nullable: true,
    description: SUBSTATUS_DESCRIPTION,
  })
  substatus!: string | null;

  @Field(() => String, { nullable: true, description: 'Provider that executes the action.' })
  provider!: string | null;

  @Field(() => AddressScalar, { description: 'Address of the sender.' })
  originAddress!: string;

  @Field(() => AddressScalar, {
    description: 'Address of the recipient; `pix`, `ach` or `wire` for a payout to a bank.',
  })
  receiverAddress!: string;

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { description: 'Time of the last change.' })
  updatedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time at which its origin transaction was found.' })
  initialDate!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time at which it ended. Null before.' })
  finishedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Reason of the failure, as text.' })
  failureReason!: string | null;

  @Field(() => Amounts, { description: 'Input and output amounts.' })
  amounts!: Amounts;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [ActionTransaction], { description: 'On-chain transactions, in execution order.' })
  transactions!: readonly ActionTransaction[];

  @Field(() => AmountScalar, {
    nullable: true,
    description:
      'Fees of the strategy, in the smallest unit of its underlying asset: the entry fee of a deposit, or the fees on the profit of a withdrawal. `0` without any. Null for actions without a strategy.',
  })
  underlyingAssetFeeValue!: string | null;

  @Field(() => ActionFees, { description: 'Fees of the action.' })
  fees!: ActionFees;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [ActionStep], { description: 'Transactions and payments of the action, in execution order.' })
  steps!: readonly ActionStep[];

  @Field(() => ActionRefund, { nullable: true, description: 'The refund. Null when there is none.' })
  refund!: ActionRefund | null;

  @Field(() => CompletionCall, {
    nullable: true,
    description:
      'Transaction that completes the transfer. Set with the substatus `DESTINATION_MINT_REQUIRED`, and while the tokens of an expired payout are to be returned.',
  })
  completion!: CompletionCall | null;
}

@ObjectType({ simpleResolvers: true, description: 'A page of actions.' })
export class ActionPage {
  @Field(() => [Action], { description: 'The actions of this page.' })
  data!: readonly Action[];

  @Field(() => Pagination, { description: 'Position of this page in the list.' })
  pagination!: Pagination;
}
