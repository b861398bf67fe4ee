import { Directive, Field, ObjectType } from 'type-graphql';
import { Pagination } from '../schema/pagination';
import { AddressScalar, AmountScalar, DateTimeScalar, SafeIntScalar } from '../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'Native coin that a wallet holds on one chain.' })
export class NativeBalance {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Symbol of the native coin.' })
  symbol!: string;

  @Field(() => AmountScalar, { nullable: true, description: 'In wei; null when the chain could not be asked.' })
  amount!: bigint | null;

  @Field(() => String, { nullable: true, description: 'Exact decimal.' })
  humanized!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'An address that the customer has looked at or acted with.' })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar, { description: 'The address.' })
  address!: string;

  @Field(() => DateTimeScalar, { description: 'When the customer looked at it or acted with it first.' })
  firstSeenAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'A page of wallets.' })
export class WalletPage {
  @Field(() => [Wallet], { description: 'The wallets of this page.' })
  data!: readonly Wallet[];

  @Field(() => Pagination, { description: 'Where in the list this page is.' })
  pagination!: Pagination;
}
