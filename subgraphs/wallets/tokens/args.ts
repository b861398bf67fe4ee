import { ArgsType, Field, Int } from 'type-graphql';

@ArgsType()
export class WalletTokensArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether to return tokens that look like spam.' })
  includeSpam!: boolean;
}

@ArgsType()
export class PositionsArgs {
  @Field(() => Int, { nullable: true, description: 'Number of positions, 1 to 500. Default 50.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of a position: the positions behind it are returned. Default: the first ones.',
  })
  after?: string | null;
}
