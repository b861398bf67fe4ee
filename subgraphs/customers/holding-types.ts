import { ArgsType, Directive, Field, Int, ObjectType } from 'type-graphql';
import { ONE_OR_TWO_ITEMS } from '../schema/costs';
import { Pagination } from '../schema/pagination';
import { AmountScalar, SafeIntScalar, UuidScalar } from '../schema/scalars';

@ArgsType()
export class HoldingsArgs {
  @Field(() => UuidScalar, { description: 'Id of the customer of the access token.' })
  id!: string;

  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 500. Default 100.' })
  limit?: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'A token that wallets of the customer hold or may trade.' })
export class CustomerToken {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, {
    description:
      'Address of the token. 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE for the native coin of an EVM chain, the mint of wrapped SOL for SOL.',
  })
  address!: string;

  @Field(() => String, { description: 'Symbol.' })
  symbol!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => Int, { description: 'Number of decimals.' })
  decimals!: number;

  @Field(() => String, { nullable: true, description: 'Logo of a listed token.' })
  logoURI!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What one wallet holds of a token.' })
export class CustomerWalletAmount {
  @Field(() => String, { description: 'Address of the wallet.' })
  address!: string;

  @Field(() => AmountScalar, { description: "Amount in the token's smallest unit." })
  amount!: bigint;
}

@ObjectType({ simpleResolvers: true, description: 'What the wallets of the customer hold of a token.' })
export class CustomerHolding {
  @Field(() => CustomerToken, { description: 'The token.' })
  token!: CustomerToken;

  @Field(() => AmountScalar, {
    description: "Sum over the wallets in the token's smallest unit. 0 for listed tokens that no wallet holds.",
  })
  totalAmount!: bigint;

  @Field(() => String, {
    nullable: true,
    description: 'Value in US dollars as a decimal. Null without a price.',
  })
  totalAmountUSD!: string | null;

  @Field(() => [CustomerWalletAmount], { description: 'The wallets that hold it, the largest amount first.' })
  @Directive(ONE_OR_TWO_ITEMS)
  wallets!: readonly CustomerWalletAmount[];
}

@ObjectType({ simpleResolvers: true, description: 'The tokens with one symbol on all chains.' })
export class CustomerHoldingGroup {
  @Field(() => String, { description: 'The symbol.' })
  symbol!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Value in US dollars, of the tokens with a price. Null when none has one.',
  })
  totalAmountUSD!: string | null;

  @Field(() => [CustomerHolding], { description: 'The tokens, the most valuable first.' })
  @Directive(ONE_OR_TWO_ITEMS)
  tokens!: readonly CustomerHolding[];
}

const IS_COMPLETE =
  'False when a wallet, chain or token could not be read, or the customer has more than 100 wallets: the newest 100 count.';
const UNAVAILABLE = 'Slugs of chains that could not be read. Their last known balances count.';
const PAGINATION = 'Position of this page in the list.';

@ObjectType({ simpleResolvers: true, description: 'A page of tokens that wallets of the customer hold or may trade.' })
export class CustomerHoldingPage {
  @Field(() => [CustomerHolding], {
    description:
      'The tokens of this page: held ones by value, those without a price behind them, then the other tokens that the deployment lists. Tokens that look like spam are left out.',
  })
  data!: readonly CustomerHolding[];

  @Field(() => Pagination, { description: PAGINATION })
  pagination!: Pagination;

  @Field(() => Boolean, { description: IS_COMPLETE })
  isComplete!: boolean;

  @Field(() => [String], { description: UNAVAILABLE })
  unavailableChains!: readonly string[];
}

@ObjectType({ simpleResolvers: true, description: 'A page of tokens of the customer by symbol.' })
export class CustomerHoldingGroupPage {
  @Field(() => [CustomerHoldingGroup], { description: 'The groups of this page, the most valuable first.' })
  data!: readonly CustomerHoldingGroup[];

  @Field(() => Pagination, { description: PAGINATION })
  pagination!: Pagination;

  @Field(() => Boolean, { description: IS_COMPLETE })
  isComplete!: boolean;

  @Field(() => [String], { description: UNAVAILABLE })
  unavailableChains!: readonly string[];
}
