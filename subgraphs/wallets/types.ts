import { Directive, Field, ObjectType } from 'type-graphql';
import { Pagination } from '../schema/pagination';
import { AddressScalar, AmountScalar, DateTimeScalar, SafeIntScalar } from '../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'Native coin that a wallet holds on one chain.' })
export class NativeBalance {
  @Field(() => SafeIntScalar)
  chainId!: number;

  @Field(() => String)
  symbol!: string;

  @Field(() => AmountScalar, { nullable: true, description: 'In wei; null when the chain could not be asked.' })
  amount!: bigint | null;

  @Field(() => String, { nullable: true, description: 'Exact decimal.' })
  humanized!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'An address that the customer has looked at or acted with.' })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar)
  address!: string;

  @Field(() => DateTimeScalar)
  firstSeenAt!: Date;
}

@ObjectType({ simpleResolvers: true })
export class WalletPage {
  @Field(() => [Wallet])
  data!: readonly Wallet[];

  @Field(() => Pagination)
  pagination!: Pagination;
}
