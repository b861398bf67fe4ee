import { ArgsType, Field } from 'type-graphql';
import { SafeIntScalar } from '../schema/scalars';

/** Arguments of a smart account: the body of `POST /smart-account`, to the letter. */
@ArgsType()
export class SmartAccountArgs {
  @Field(() => String, { description: 'EVM address of who will sign for the account.' })
  owner!: string;

  @Field(() => SafeIntScalar, { description: 'Id of an EVM chain.' })
  chainId!: number;
}
