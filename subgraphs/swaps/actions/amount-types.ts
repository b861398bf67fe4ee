import { Field, Int, ObjectType } from 'type-graphql';
import { AmountScalar, SafeIntScalar, UrlScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'A chain, as it stands beside amounts and transactions.' })
export class AssetChain {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  id!: number;

  @Field(() => String, { description: 'Name of the chain.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Symbol of the native coin.' })
  nativeAssetSymbol!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'Block explorer, to which `/tx/<hash>` is appended.' })
  explorer!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A token, as it stands beside amounts.' })
export class AssetToken {
  @Field(() => String, { description: 'Address of the contract.' })
  address!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => String, { description: 'Name of the token.' })
  name!: string;

  @Field(() => Int, { description: 'Digits behind the point: one token is 10^decimals of its smallest unit.' })
  decimals!: number;

  @Field(() => String, { nullable: true, description: 'Picture of the token.' })
  logoURI?: string | undefined;
}

@ObjectType({
  simpleResolvers: true,
  description: 'An amount: of a token, with `token` and `chain`; or of fiat, with `currency`.',
})
export class Asset {
  @Field(() => AssetToken, { nullable: true, description: 'The token; null for fiat.' })
  token!: AssetToken | null;

  @Field(() => AssetChain, { nullable: true, description: 'The chain of the token; null for fiat.' })
  chain!: AssetChain | null;

  @Field(() => String, { nullable: true, description: '`BRL` or `USD`.' })
  currency!: string | null;

  @Field(() => AmountScalar, { description: 'In the smallest unit.' })
  amountRaw!: string;

  @Field(() => String, { description: 'Exact decimal.' })
  amountHumanized!: string;

  @Field(() => String, { nullable: true, description: 'Decimal; null when there was no price.' })
  amountInUSD!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'One line of what an action does.' })
export class AmountBreakdown {
  @Field(() => String, { description: 'Kind of the leg.' })
  type!: string;

  @Field(() => String, { description: 'What the leg does, in words.' })
  description!: string;

  @Field(() => UrlScalar, { nullable: true, description: 'Its transaction at the explorer.' })
  explorerUrl!: string | null;

  @Field(() => String, { description: '`completed`, `pending` or `failed`.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Who carries the leg out.' })
  protocol!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What goes in, and what comes out of an action.' })
export class Amounts {
  @Field(() => Asset, { nullable: true, description: 'What goes in.' })
  assetIn!: Asset | null;

  @Field(() => Asset, { nullable: true, description: 'Promised until `SUCCESS`, then what really arrived.' })
  assetOut!: Asset | null;

  @Field(() => [AmountBreakdown], { description: 'The legs, in their order.' })
  breakdown!: readonly AmountBreakdown[];
}
