import { Directive, Field, ObjectType } from 'type-graphql';
import { HEAVY_OBJECT } from '../schema/costs';
import { Pagination } from '../schema/pagination';
import { AddressScalar, AmountScalar, DateTimeScalar, SafeIntScalar } from '../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'Native balance of a wallet on one chain.' })
@Directive(HEAVY_OBJECT)
export class NativeBalance {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Symbol of the native coin.' })
  symbol!: string;

  @Field(() => AmountScalar, { nullable: true, description: 'Balance in wei. Null when the chain is unavailable.' })
  amount!: bigint | null;

  @Field(() => String, { nullable: true, description: 'Balance as an exact decimal.' })
  humanized!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A wallet that the customer has queried or used.' })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar, { description: 'The address.' })
  address!: string;

  @Field(() => DateTimeScalar, { description: 'Time at which the customer first queried or used the wallet.' })
  firstSeenAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'A page of wallets.' })
export class WalletPage {
  @Field(() => [Wallet], { description: 'The wallets of this page.' })
  data!: readonly Wallet[];

  @Field(() => Pagination, { description: 'Position of this page in the list.' })
  pagination!: Pagination;
}
