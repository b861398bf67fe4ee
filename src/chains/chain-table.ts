import { InvariantError } from '../errors/invariant-error';
import type { Chain } from './chain';

/** All chains of a deployment, by slug or id. */
export interface ChainTable {
  readonly all: readonly Chain[];
  /** By slug in any case, by alias (`mainnet`), or by a decimal chain id (`8453`). `undefined` when unknown. */
  find(slugOrId: string): Chain | undefined;
  byId(chainId: number): Chain | undefined;
  /** The chain of a validated id. @throws InvariantError when the chain is unknown. */
  get(chainId: number): Chain;
}

const ALIASES: Readonly<Record<string, string>> = { mainnet: 'ethereum' };

/** @throws InvariantError when two chains share a slug or an id. */
export function createChainTable(chains: readonly Chain[]): ChainTable {
  const bySlug = new Map(chains.map((chain) => [chain.slug, chain]));
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  if (bySlug.size !== chains.length || byId.size !== chains.length) {
    throw new InvariantError('two chains of the table share a slug or an id');
  }
  return {
    all: chains,
    find(slugOrId) {
      if (/^(?:0|[1-9][0-9]{0,15})$/.test(slugOrId)) return byId.get(Number.parseInt(slugOrId, 10));
      const slug = slugOrId.toLowerCase();
      return bySlug.get(ALIASES[slug] ?? slug);
    },
    byId: (chainId) => byId.get(chainId),
    get(chainId) {
      const chain = byId.get(chainId);
      if (chain === undefined) throw new InvariantError(`chain ${String(chainId)} is not in the table`);
      return chain;
    },
  };
}
