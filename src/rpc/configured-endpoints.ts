import type { ChainTable } from '../chains/chain-table';

/** The chains of a deployment, and where those that it serves are asked. */
export interface ConfiguredEndpoints {
  readonly table: ChainTable;
  readonly rpcUrls: ReadonlyMap<number, string>;
}
