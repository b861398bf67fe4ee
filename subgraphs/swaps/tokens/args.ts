import { ArgsType, Field, InputType, Int } from 'type-graphql';
import type { PriceStep, RequestedRange } from '../../../src/prices/samples/price-range';
import { ChainNameScalar, DateTimeScalar } from '../../schema/scalars';
import { PriceStepEnum } from './enums';

const CHAIN = { description: 'Slug or id of the chain.' };

@ArgsType()
export class TokenArgs {
  @Field(() => ChainNameScalar, CHAIN)
  chain!: string;

  @Field(() => String, {
    description:
      'Contract address, mint, or `BRL` / `USD` on the chain `fiat`. The native coin is 0xEeee…EEeE or the zero address.',
  })
  address!: string;
}

@ArgsType()
export class TokensArgs {
  @Field(() => ChainNameScalar, CHAIN)
  chain!: string;

  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 100. Default 20.' })
  limit?: number | null;
}

@InputType({ description: 'A span of time.' })
export class PriceRange implements RequestedRange {
  @Field(() => DateTimeScalar, { description: 'Begin.' })
  from!: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'End, exclusive. Default: now.' })
  to?: string | null;

  @Field(() => PriceStepEnum, {
    nullable: true,
    description: 'Length of a step, which has at most one price: the last one. Default: the shortest within `limit`.',
  })
  step?: PriceStep | null;
}

@ArgsType()
export class PriceHistoryArgs {
  @Field(() => PriceRange, { description: 'The span of time.' })
  range!: PriceRange;

  @Field(() => Int, { nullable: true, description: 'Maximum number of steps, 1 to 500. Default 100.' })
  limit?: number | null;
}
