import { z } from 'zod';
import { TEXT_FLAWS, type TokenMetadata, type TokenMetadataStore } from '../tokens/token-metadata';
import type { Database } from './database';

const storedFlaws = z.array(z.string());

/** Token metadata in the database, shared by all replicas and customers. */
export function createTokenMetadataStore(database: Pick<Database, 'tokenMetadata'>): TokenMetadataStore {
  return {
    async find(chainId, addresses) {
      const rows = await database.tokenMetadata.findMany({
        where: { chainId: BigInt(chainId), address: { in: [...addresses] } },
        select: { address: true, symbol: true, name: true, decimals: true, flaws: true },
      });
      return new Map(rows.map(({ address, flaws, ...texts }) => [address, withFlaws(texts, flaws)]));
    },
    async save({ chainId, address, symbol, name, decimals, flaws }) {
      const key = { chainId: BigInt(chainId), address };
      const stored = { symbol, name, decimals, ...(flaws === undefined ? {} : { flaws: [...flaws] }) };
      await database.tokenMetadata.upsert({
        where: { chainId_address: key },
        create: { ...key, ...stored },
        update: stored,
      });
    },
  };
}

/** Rows of former versions have no flaws: these are unknown. */
function withFlaws(texts: Omit<TokenMetadata, 'flaws'>, flaws: unknown): TokenMetadata {
  const { data } = storedFlaws.safeParse(flaws);
  return data === undefined ? texts : { ...texts, flaws: TEXT_FLAWS.filter((flaw) => data.includes(flaw)) };
}
