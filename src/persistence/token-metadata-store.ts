import type { TokenMetadataStore } from '../tokens/token-metadata';
import type { Database } from './database';

/** Token metadata in the database, shared by all replicas and customers. */
export function createTokenMetadataStore(database: Pick<Database, 'tokenMetadata'>): TokenMetadataStore {
  return {
    async find(chainId, address) {
      const found = await database.tokenMetadata.findUnique({
        where: { chainId_address: { chainId: BigInt(chainId), address } },
        select: { symbol: true, name: true, decimals: true },
      });
      return found ?? undefined;
    },
    async save({ chainId, address, symbol, name, decimals }) {
      // Another replica may have stored the same row.
      await database.tokenMetadata.createMany({
        data: [{ chainId: BigInt(chainId), address, symbol, name, decimals }],
        skipDuplicates: true,
      });
    },
  };
}
