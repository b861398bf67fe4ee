import { ArgsType, Field, Int } from 'type-graphql';

@ArgsType()
export class WalletsArgs {
  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 100. Default 20.' })
  limit?: number | null;
}
