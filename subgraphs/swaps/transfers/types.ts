import { Field, ObjectType } from 'type-graphql';
import { SafeIntScalar, UuidScalar } from '../../schema/scalars';
import { Simulation } from '../quotes/quote-parts';
import { ExecutionFields } from '../transactions/execution-fields';
import { TransactionItem } from '../transactions/transaction-item';

@ObjectType({
  simpleResolvers: true,
  description: 'A transfer of a token to another wallet. It was simulated on chain before.',
})
export class Transfer extends ExecutionFields {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => [TransactionItem], { description: 'Transactions to send.' })
  transactionData!: readonly TransactionItem[];

  @Field(() => [TransactionItem], { description: 'The same as `transactionData`.' })
  transactions!: readonly TransactionItem[];

  @Field(() => [TransactionItem], { description: 'The same as `transactionData`.' })
  bytecode!: readonly TransactionItem[];

  @Field(() => Simulation, {
    description: 'Result of the simulation: `SUCCESS`, or `UNAVAILABLE` when the chain cannot simulate transactions.',
  })
  simulation!: Simulation;
}
