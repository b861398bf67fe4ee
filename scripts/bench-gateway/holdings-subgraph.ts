import { Arg, Authorized, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { buildSubgraph, type Subgraph } from '../../subgraphs/schema/build-subgraph';
import { AddressScalar, AmountScalar } from '../../subgraphs/schema/scalars';
import { POSITIONS_OF } from './memory';

@ObjectType('Asset', { simpleResolvers: true })
@Directive('@key(fields: "id", resolvable: false)')
class AssetKey {
  @Field(() => ID)
  id!: string;
}

@ObjectType({ simpleResolvers: true })
class Position {
  @Field(() => ID)
  id!: string;

  @Field(() => AmountScalar)
  amount!: bigint;

  @Field(() => AssetKey)
  asset!: AssetKey;
}

@ObjectType({ simpleResolvers: true })
class Wallet {
  @Field(() => AddressScalar)
  address!: string;

  @Field(() => [Position])
  positions!: readonly Position[];
}

@Resolver()
class WalletResolver {
  @Authorized('apiKey')
  @Query(() => Wallet)
  wallet(@Arg('address', () => AddressScalar) address: string): Wallet {
    const positions = POSITIONS_OF.get(address) ?? [];
    return { address, positions: positions.map(({ id, amount, assetId }) => ({ id, amount, asset: { id: assetId } })) };
  }
}

/** Positions of wallets, which contain only the id of an asset. */
export const createHoldingsSubgraph = (): Subgraph =>
  buildSubgraph({ name: 'holdings', resolvers: [new WalletResolver()] });
