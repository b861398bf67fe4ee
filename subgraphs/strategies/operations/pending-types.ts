import { Directive, Field, Int, ObjectType } from 'type-graphql';
import { ABOUT_TEN_ITEMS, ONE_OR_TWO_ITEMS } from '../../schema/costs';
import { AddressScalar, DateTimeScalar, UuidScalar } from '../../schema/scalars';
import { StockOrderBook, StockSettlement } from './settlement-types';

@ObjectType({ simpleResolvers: true, description: 'A part of a step.' })
export class PendingLeg {
  @Field(() => String, {
    description:
      '`APPROVAL`, `TRANSFER` (of a fee, or into the wallet of an order), `SWAP`, `BRIDGE`, `DEPOSIT`, `WITHDRAW`, `REQUEST`, `CLAIM`, `ORDER` or `REFUND`.',
  })
  kind!: string;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Field(() => String, { description: 'Party that executes it.' })
  operator!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A transaction of a pending action.' })
export class PendingStep {
  @Field(() => Int, { description: 'Position in the action, from 0.' })
  stepIndex!: number;

  @Field(() => String, { description: '`PENDING`, `SUBMITTED`, `CONFIRMED`, `FAILED` or `SKIPPED`.' })
  status!: string;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [PendingLeg], { description: 'Its approvals, and the step itself.' })
  legs!: readonly PendingLeg[];
}

@ObjectType({ simpleResolvers: true, description: 'An action of a strategy that was sent and has not ended.' })
export class PendingStrategyAction {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => String, { description: 'Type of the action.' })
  type!: string;

  @Field(() => String, { description: 'Always `PENDING`.' })
  status!: string;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [PendingStep], { description: 'Its transactions, in execution order.' })
  steps!: readonly PendingStep[];

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { description: 'Time of the last change.' })
  updatedAt!: Date;

  @Field(() => Int, { description: 'Index of the first step that is not confirmed.' })
  currentStep!: number;

  @Field(() => StockSettlement, { nullable: true, description: 'Tokenized stocks only: the settlement of the order.' })
  suw!: StockSettlement | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The pending actions of a wallet in a strategy.' })
export class PendingStrategyActions {
  @Field(() => String, { description: 'Id of the strategy.' })
  strategyId!: string;

  @Field(() => AddressScalar, { description: 'The wallet.' })
  wallet!: string;

  @Field(() => Boolean, { description: 'True when there is one.' })
  hasPending!: boolean;

  @Field(() => String, { description: 'Sentence for people that states whether an action is pending.' })
  message!: string;

  @Directive(ABOUT_TEN_ITEMS)
  @Field(() => [PendingStrategyAction], { description: 'Newest first, at most 50.' })
  actions!: readonly PendingStrategyAction[];

  @Field(() => StockOrderBook, {
    nullable: true,
    description: 'Tokenized stocks only: whether orders can be placed now.',
  })
  orderBook!: StockOrderBook | undefined;
}
