import { Field, ObjectType } from 'type-graphql';
import { AddressScalar, SafeIntScalar } from '../schema/scalars';

@ObjectType({
  simpleResolvers: true,
  description:
    'An ERC-4337 account: a Safe 1.4.1 on EntryPoint 0.7. Its address is available at once and can receive tokens. Its first user operation deploys it.',
})
export class SmartAccount {
  @Field(() => AddressScalar, {
    description: 'Address of the account. Derived from the owner only (CREATE2), so it is the same on every chain.',
  })
  address!: string;

  @Field(() => AddressScalar, { description: 'Signer of the account.' })
  owner!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;
}
