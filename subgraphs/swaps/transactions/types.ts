import { Field, ObjectType } from 'type-graphql';
import { SafeIntScalar, UuidScalar } from '../../schema/scalars';
import { SwapExecutionFields } from './execution-fields';
import { TransactionItem } from './transaction-item';

@ObjectType({ simpleResolvers: true, description: 'What executes a quote, tried on chain before it was handed out.' })
export class SwapTransaction extends SwapExecutionFields {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => UuidScalar, { description: 'Id of the quote that is executed.' })
  quoteId!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the origin chain.' })
  chainId!: number;

  @Field(() => [TransactionItem], {
    description: 'What to send in sending order, approvals first; empty when there is nothing to sign: a deposit.',
  })
  transactionData!: readonly TransactionItem[];

  @Field(() => [TransactionItem], { description: 'The same as `transactionData`.' })
  transactions!: readonly TransactionItem[];
}
