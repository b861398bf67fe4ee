import { Directive, Field, Int, ObjectType } from 'type-graphql';
import { ONE_OR_TWO_ITEMS } from '../../schema/costs';
import { AmountScalar, SafeIntScalar, UrlScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'A chain, as part of an amount or transaction.' })
export class AssetChain {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  id!: number;

  @Field(() => String, { description: 'Name of the chain.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Symbol of the native coin.' })
  nativeAssetSymbol!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'Block explorer. Append `/tx/<hash>` for a transaction.' })
  explorer!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A token, as part of an amount.' })
export class AssetToken {
  @Field(() => String, { description: 'Address of the contract.' })
  address!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => String, { description: 'Name of the token.' })
  name!: string;

  @Field(() => Int, { description: 'Number of decimals: one token is 10^decimals of its smallest unit.' })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "URL of the token's logo." })
  logoURI?: string | undefined;
}

@ObjectType({
  simpleResolvers: true,
  description: 'An amount of a token (`token` and `chain` are set) or of fiat (`currency` is set).',
})
export class Asset {
  @Field(() => AssetToken, { nullable: true, description: 'The token. Null for fiat.' })
  token!: AssetToken | null;

  @Field(() => AssetChain, { nullable: true, description: 'The chain of the token. Null for fiat.' })
  chain!: AssetChain | null;

  @Field(() => String, { nullable: true, description: '`BRL` or `USD`. Null for a token.' })
  currency!: string | null;

  @Field(() => AmountScalar, { description: 'Amount in the smallest unit.' })
  amountRaw!: string;

  @Field(() => String, { description: 'Amount as an exact decimal.' })
  amountHumanized!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Amount in US dollars as a decimal. Null when no price was available.',
  })
  amountInUSD!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'One approval, transaction or payment of an action.' })
export class AmountBreakdown {
  @Field(() => String, {
    description:
      '`APPROVAL`, `SWAP`, `BRIDGE`, `DEPOSIT`, `WITHDRAW`, `REQUEST`, `CLAIM`, `TRANSFER`, `FIAT_IN`, `FIAT_OUT`, `ORDER`, `REFUND` or `DEPLOYMENT`.',
  })
  type!: string;

  @Field(() => String, { description: 'A sentence for people, such as `Swap USDC for BRLA on Polygon.`' })
  description!: string;

  @Field(() => UrlScalar, { nullable: true, description: 'URL of its transaction at the block explorer.' })
  explorerUrl!: string | null;

  @Field(() => String, { description: '`completed`, `pending` or `failed`.' })
  status!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Provider or protocol that executes it, or `transfer`. Null for an approval.',
  })
  protocol!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Input and output amounts of an action.' })
export class Amounts {
  @Field(() => Asset, { nullable: true, description: 'Input amount. Null for claims, which take nothing.' })
  assetIn!: Asset | null;

  @Field(() => Asset, {
    nullable: true,
    description:
      'Output amount: the promised amount until `SUCCESS`, then the received amount. Null for requests of deposits and withdrawals, whose claims bring it.',
  })
  assetOut!: Asset | null;

  @Directive(ONE_OR_TWO_ITEMS)
  @Field(() => [AmountBreakdown], { description: 'Approvals, then the transactions and payments in execution order.' })
  breakdown!: readonly AmountBreakdown[];
}
