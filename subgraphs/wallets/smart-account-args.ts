import { ArgsType, Field } from 'type-graphql';
import { SafeIntScalar } from '../schema/scalars';

/** Arguments of a smart account: exactly the body of `POST /smart-account`. */
@ArgsType()
export class SmartAccountArgs {
  @Field(() => String, { description: "EVM address of the account's signer." })
  owner!: string;

  @Field(() => SafeIntScalar, { description: 'Id of an EVM chain.' })
  chainId!: number;
}
