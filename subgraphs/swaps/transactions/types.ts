import { Field, ObjectType } from 'type-graphql';
import { SafeIntScalar, UuidScalar } from '../../schema/scalars';
import { TransactionItem } from './transaction-item';

@ObjectType({ simpleResolvers: true, description: 'What executes a quote, tried on chain before it was handed out.' })
export class SwapTransaction {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => UuidScalar)
  quoteId!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the origin chain.' })
  chainId!: number;

  @Field(() => [TransactionItem], { description: 'The calls in sending order, approvals first.' })
  transactionData!: readonly TransactionItem[];

  @Field(() => [TransactionItem], { description: 'The same as `transactionData`.' })
  transactions!: readonly TransactionItem[];
}
