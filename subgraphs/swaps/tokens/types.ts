import { Directive, Field, Int, ObjectType } from 'type-graphql';
import type { PriceFlag, PriceKind } from '../../../src/prices/token-price';
import { HEAVY_OBJECT } from '../../schema/costs';
import { Pagination } from '../../schema/pagination';
import { DateTimeScalar, SafeIntScalar } from '../../schema/scalars';
import { PriceFlagEnum, PriceKindEnum } from './enums';

@ObjectType({ simpleResolvers: true, description: 'The price of one whole token, combined from all sources.' })
@Directive(HEAVY_OBJECT)
export class TokenPrice {
  @Field(() => String, { description: 'US dollars for one whole token, as an exact decimal.' })
  usd!: string;

  @Field(() => DateTimeScalar, { description: 'Time of the observation by the source.' })
  asOf!: Date;

  @Field(() => String, {
    description: '`chainlink`, `defillama`, `coingecko`, `pyth`, `ptax`, `peg`, or the pool as in `uniswap-v3:0x…`.',
  })
  source!: string;

  @Field(() => PriceKindEnum, { description: 'How the price came about.' })
  kind!: PriceKind;

  @Field(() => Int, {
    description: 'Certainty in basis points: of the source, and at most the agreement of all sources.',
  })
  confidenceBps!: number;

  @Field(() => [PriceFlagEnum], { description: 'Uncertainties of the price. Empty for most prices.' })
  flags!: readonly PriceFlag[];

  @Field(() => Boolean, { description: 'True when two independent fresh sources agree on the price.' })
  isConfirmed!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A price in a history.' })
export class PricePoint {
  @Field(() => DateTimeScalar, { description: 'Time of the observation by the source.' })
  at!: Date;

  @Field(() => String, { description: 'US dollars for one whole token, as an exact decimal.' })
  usd!: string;

  @Field(() => String, { description: 'Source of the price.' })
  source!: string;

  @Field(() => PriceKindEnum, { description: 'How the price came about.' })
  kind!: PriceKind;

  @Field(() => [PriceFlagEnum], { description: 'Uncertainties of the price. Empty for most prices.' })
  flags!: readonly PriceFlag[];

  @Field(() => Boolean, { description: 'True when two independent fresh sources agreed on the price.' })
  isConfirmed!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A token of one chain, or a fiat currency (chain 0).' })
@Directive('@key(fields: "chainId address")')
export class Token {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Checksummed address, Solana mint, or `BRL` / `USD`.' })
  address!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => String, { description: 'Name of the token.' })
  name!: string;

  @Field(() => Int, {
    description: 'Number of decimals: one token is 10^decimals of its smallest unit.',
  })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "URL of the token's logo." })
  logoURI!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A page of tokens.' })
export class TokenPage {
  @Field(() => [Token], { description: 'The tokens of this page.' })
  data!: readonly Token[];

  @Field(() => Pagination, { description: 'Position of this page in the list.' })
  pagination!: Pagination;
}
