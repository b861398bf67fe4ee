import { Field, ObjectType } from 'type-graphql';
import { AddressScalar, SafeIntScalar } from '../schema/scalars';

@ObjectType({
  simpleResolvers: true,
  description:
    'An ERC-4337 account: a Safe 1.4.1 on EntryPoint 0.7. Its address is known at once and may receive already; its first user operation deploys it.',
})
export class SmartAccount {
  @Field(() => AddressScalar, { description: 'Follows from the owner alone (CREATE2): the same on every chain.' })
  address!: string;

  @Field(() => AddressScalar, { description: 'Who signs for the account.' })
  owner!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;
}
