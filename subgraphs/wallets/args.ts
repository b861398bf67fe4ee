import { ArgsType, Field, Int } from 'type-graphql';

@ArgsType()
export class WalletsArgs {
  @Field(() => Int, { nullable: true, description: 'From 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: '1 to 100. Default 20.' })
  limit?: number | null;
}
