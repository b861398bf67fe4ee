import { ArgsType, Field, Int } from 'type-graphql';
import { AddressScalar } from '../../schema/scalars';

@ArgsType()
export class StrategyHistoryArgs {
  @Field(() => AddressScalar, { description: 'The wallet.' })
  wallet!: string;

  @Field(() => String, { description: 'Id, slug or alias of a strategy. Case does not matter.' })
  strategyId!: string;

  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 500. Default 50.' })
  limit?: number | null;
}
