import { Field, Int, ObjectType } from 'type-graphql';
import type { ActionType } from '../../../src/transactions/action-plan';
import type { SwapStatus as SwapStatusView } from '../../../src/actions/swap-status';
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
import { ActionStatusEnum, ActionTypeEnum } from './enums';

type Status = keyof typeof ActionStatusEnum;

@ObjectType({ simpleResolvers: true, description: 'A transaction seen of an action.' })
export class ActionTransaction {
  @Field(() => AssetChain, { description: 'The chain that it is on.' })
  chain!: AssetChain;

  @Field(() => String, { description: 'Hash, or signature on Solana.' })
  txHash!: string;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Block or slot; null before it is mined.' })
  blockNumber!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When its block was mined.' })
  timestamp!: Date | null;

  @Field(() => ActionStatusEnum, { description: '`PENDING` until it is final, then `SUCCESS` or `FAILED`.' })
  status!: Status;
}

@ObjectType({ simpleResolvers: true, description: 'One charge of an action.' })
export class ActionFee {
  @Field(() => String, { description: 'What it is for.' })
  type!: string;

  @Field(() => String, { description: 'Decimal amount of `currency`.' })
  amount!: string;

  @Field(() => String, { description: 'Currency of `amount`: `USD`.' })
  currency!: string;

  @Field(() => String, { nullable: true, description: 'Symbol of the token that is charged.' })
  token?: string | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Charge in the smallest unit of the token.' })
  tokenAmount?: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What an action costs.' })
export class ActionFees {
  @Field(() => String, { description: 'Decimal amount of `currency`: the sum of the breakdown.' })
  total!: string;

  @Field(() => String, { description: 'Currency of `total`: `USD`.' })
  currency!: string;

  @Field(() => [ActionFee], { description: 'The fees, one by one.' })
  breakdown!: readonly ActionFee[];
}

@ObjectType({ simpleResolvers: true, description: 'One thing done within a step.' })
export class ActionLeg {
  @Field(() => String, {
    description:
      '`APPROVAL`, `SWAP`, `BRIDGE`, `DEPOSIT`, `WITHDRAW`, `TRANSFER`, `FIAT_IN`, `FIAT_OUT`, `ORDER` or `REFUND`.',
  })
  kind!: string;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Field(() => String, { description: 'Who carries it out: `USER`, `PROVIDER` or `SERVICE`.' })
  operator!: string;
}

@ObjectType({ simpleResolvers: true, description: 'One transaction or payment of an action, in order.' })
export class ActionStep {
  @Field(() => Int, { description: 'From 0.' })
  stepIndex!: number;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Hash of its transaction, once it is known.' })
  txHash!: string | null;

  @Field(() => String, { nullable: true, description: 'Hash of the user operation, when it is one.' })
  userOperationHash!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed; null when it did not.' })
  failureReason!: string | null;

  @Field(() => [ActionLeg], { description: 'What the step does, in its order.' })
  legs!: readonly ActionLeg[];
}

@ObjectType({
  simpleResolvers: true,
  description:
    'What came back of an action that could not be completed: of a token, with `token` and `chain`; or of fiat, with ' +
    '`currency`. It may be another token than was sold: the one that this had been swapped for on the way.',
})
export class ActionRefund {
  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED` or `FAILED`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'None of a payment to a bank.' })
  txHash!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'The transaction at the explorer.' })
  txUrl!: string | null;

  @Field(() => AssetToken, { nullable: true, description: 'The token that came back.' })
  token!: AssetToken | null;

  @Field(() => AssetChain, { nullable: true, description: 'Where the token came back, which may be its destination.' })
  chain!: AssetChain | null;

  @Field(() => String, { nullable: true, description: '`BRL` or `USD`.' })
  currency!: string | null;

  @Field(() => AmountScalar, { nullable: true, description: 'In the smallest unit; null when nobody told.' })
  amountRaw!: string | null;

  @Field(() => String, { nullable: true, description: 'Exact decimal.' })
  amountHumanized!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Decimal: of what was sold at the price of the quote, of another token when it came back.',
  })
  amountInUSD!: string | null;

  @Field(() => AddressScalar, { nullable: true, description: 'Wallet that has it; null of a payment to a bank.' })
  receiverAddress!: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A transaction that anyone may send to complete the transfer: whoever does pays the gas alone.',
})
export class CompletionCall {
  @Field(() => String, { description: 'Id of the chain, as decimal digits.' })
  chainId!: string;

  @Field(() => String, { description: 'Contract that is called.' })
  to!: string;

  @Field(() => String, { description: 'Calldata in hexadecimal.' })
  data!: string;

  @Field(() => AmountScalar, { description: 'Native coin sent along, in wei.' })
  value!: string;

  @Field(() => String, { description: 'Wallet that is expected to send it.' })
  from!: string;
}

@ObjectType({ simpleResolvers: true, description: "Something that moves a customer's money." })
export class Action {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => UuidScalar, { nullable: true, description: 'Quote that made the action.' })
  quoteId!: string | null;

  @Field(() => ActionTypeEnum, { description: 'What is done.' })
  type!: ActionType;

  @Field(() => ActionStatusEnum, { description: 'How far it is.' })
  status!: Status;

  @Field(() => String, { nullable: true, description: 'What the action waits for, or why it ended as it did.' })
  substatus!: string | null;

  @Field(() => String, { nullable: true, description: 'Who carries it out.' })
  provider!: string | null;

  @Field(() => AddressScalar, { description: 'Who sends.' })
  originAddress!: string;

  @Field(() => AddressScalar, { description: 'Who receives; `pix`, `ach` or `wire` for a payout to a bank.' })
  receiverAddress!: string;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { description: 'When it changed last.' })
  updatedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When its origin transaction was seen.' })
  initialDate!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ended; null before.' })
  finishedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the action failed, in words.' })
  failureReason!: string | null;

  @Field(() => Amounts, { description: 'What goes in and what comes out.' })
  amounts!: Amounts;

  @Field(() => [ActionTransaction], { description: 'Transactions on chain, in their order.' })
  transactions!: readonly ActionTransaction[];

  @Field(() => ActionFees, { description: 'What it costs.' })
  fees!: ActionFees;

  @Field(() => [ActionStep], { description: 'The transactions and payments that it takes, in their order.' })
  steps!: readonly ActionStep[];

  @Field(() => ActionRefund, { nullable: true, description: 'What came back; null when nothing did.' })
  refund!: ActionRefund | null;

  @Field(() => CompletionCall, {
    nullable: true,
    description: 'With the substatus `DESTINATION_MINT_REQUIRED`: what completes the transfer.',
  })
  completion!: CompletionCall | null;
}

@ObjectType({ simpleResolvers: true, description: 'A page of actions.' })
export class ActionPage {
  @Field(() => [Action], { description: 'The actions of this page.' })
  data!: readonly Action[];

  @Field(() => Pagination, { description: 'Where in the list this page is.' })
  pagination!: Pagination;
}

@ObjectType({ simpleResolvers: true, description: 'How far a swap is.' })
export class SwapStatus implements SwapStatusView {
  @Field(() => UuidScalar, { description: 'The action; the quote while it has made none.' })
  id!: string;

  @Field(() => UuidScalar, { nullable: true, description: 'Id of the quote.' })
  quoteId!: string | null;

  @Field(() => ActionStatusEnum, { description: 'How far the action is.' })
  status!: Status;

  @Field(() => String, { nullable: true, description: 'What the status cannot say.' })
  substatus!: string | null;

  @Field(() => String, { nullable: true, description: 'Who carries it out.' })
  provider!: string | null;

  @Field(() => String, { nullable: true, description: 'Transaction that executed the quote.' })
  originTxHash!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'The same in a block explorer.' })
  originTxUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Transaction that paid out on the other chain.' })
  destinationTxHash!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'The same in a block explorer.' })
  destinationTxUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Transaction that gave back.' })
  refundTxHash!: string | null;

  @Field(() => CompletionCall, {
    nullable: true,
    description: 'With the substatus `DESTINATION_MINT_REQUIRED`: what completes the swap.',
  })
  completion!: CompletionCall | null;

  @Field(() => DateTimeScalar, { description: 'When the action changed last.' })
  updatedAt!: Date;
}
