import { TEXT_FLAWS, type TokenMetadataStore } from '../tokens/token-metadata';
import type { Database } from './database';

/** Token metadata in the database, shared by all replicas and customers. */
export function createTokenMetadataStore(database: Pick<Database, 'tokenMetadata'>): TokenMetadataStore {
  return {
    async find(chainId, address) {
      const found = await database.tokenMetadata.findUnique({
        where: { chainId_address: { chainId: BigInt(chainId), address } },
        select: { symbol: true, name: true, decimals: true, flaws: true },
      });
      if (found === null) return undefined;
      const { flaws, ...metadata } = found;
      const known = TEXT_FLAWS.filter((flaw) => flaws.includes(flaw));
      return known.length === 0 ? metadata : { ...metadata, flaws: known };
    },
    async save({ chainId, address, symbol, name, decimals, flaws = [] }) {
      // Another replica may have stored the same row.
      await database.tokenMetadata.createMany({
        data: [{ chainId: BigInt(chainId), address, symbol, name, decimals, flaws: [...flaws] }],
        skipDuplicates: true,
      });
    },
  };
}
