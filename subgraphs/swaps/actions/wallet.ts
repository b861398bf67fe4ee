import { Directive, Field, ObjectType } from 'type-graphql';
import { AddressScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar, { description: 'The address.' })
  address!: string;
}
