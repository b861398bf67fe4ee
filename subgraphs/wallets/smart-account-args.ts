import { ArgsType, Field } from 'type-graphql';
import { AddressScalar, SafeIntScalar } from '../schema/scalars';

/** Arguments of a smart account: exactly the body of `POST /smart-account`. */
@ArgsType()
export class SmartAccountArgs {
  @Field(() => String, { description: "EVM address of the account's signer." })
  owner!: string;

  @Field(() => SafeIntScalar, { description: 'Id of an EVM chain.' })
  chainId!: number;
}

@ArgsType()
export class SmartAccountKeyArgs {
  @Field(() => AddressScalar, { description: 'Address of the account.' })
  address!: string;

  @Field(() => SafeIntScalar, { description: 'Id of an EVM chain.' })
  chainId!: number;
}
