import { Directive, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { buildSubgraph, type Subgraph } from '../../subgraphs/schema/build-subgraph';
import { ASSETS, PING } from './memory';

@ObjectType({ simpleResolvers: true })
class Ping {
  @Field(() => String)
  status!: string;
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "id")')
class Asset {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  symbol!: string;

  @Field(() => String)
  name!: string;

  @Field(() => Int)
  decimals!: number;

  @Field(() => String)
  priceUsd!: string;
}

@Resolver()
class PingResolver {
  @Query(() => Ping)
  ping(): Ping {
    return PING;
  }
}

/** Assets by id, and the trivial operation. */
export const createAssetsSubgraph = (): Subgraph =>
  buildSubgraph({
    name: 'assets',
    resolvers: [new PingResolver()],
    orphanedTypes: [Asset],
    references: { Asset: ({ id }) => ASSETS.get(String(id)) },
  });
