import type { ChainTable } from '../chains/chain-table';

/** The chains of a deployment, and the RPC URLs of those that it serves. */
export interface ConfiguredEndpoints {
  readonly table: ChainTable;
  readonly rpcUrls: ReadonlyMap<number, string>;
}
