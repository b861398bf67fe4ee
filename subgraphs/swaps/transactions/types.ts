import { Field, ObjectType } from 'type-graphql';
import { SafeIntScalar, UuidScalar } from '../../schema/scalars';
import { ActionStatusEnum } from '../actions/enums';
import { SwapExecutionFields } from './execution-fields';
import { TransactionItem } from './transaction-item';

@ObjectType({
  simpleResolvers: true,
  description: 'The transactions that execute a quote. They were simulated on chain before.',
})
export class SwapTransaction extends SwapExecutionFields {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => UuidScalar, { description: 'Id of the quote to execute.' })
  quoteId!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the origin chain.' })
  chainId!: number;

  @Field(() => ActionStatusEnum, { description: 'Status of the action.' })
  status!: keyof typeof ActionStatusEnum;

  @Field(() => [TransactionItem], {
    description:
      'Transactions in sending order, approvals first. Empty when there is nothing to sign, as for a deposit, and once the action was executed.',
  })
  transactionData!: readonly TransactionItem[];

  @Field(() => [TransactionItem], { description: 'The same as `transactionData`.' })
  transactions!: readonly TransactionItem[];
}
