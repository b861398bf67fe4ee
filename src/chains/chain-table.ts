import { InvariantError } from '../errors/invariant-error';
import type { Chain } from './chain';

/** All chains of a deployment, by slug or id. */
export interface ChainTable {
  readonly all: readonly Chain[];
  /** Those that this deployment can use. */
  readonly served: readonly Chain[];
  /** By slug in any case, by alias (`mainnet`), or by a decimal chain id (`8453`). `undefined` when unknown. */
  find(slugOrId: string): Chain | undefined;
  byId(chainId: number): Chain | undefined;
  /** The chain of a validated id. @throws InvariantError when the chain is unknown. */
  get(chainId: number): Chain;
}

const ALIASES: Readonly<Record<string, string>> = { mainnet: 'ethereum' };

const MAX_NAMED_CHAINS = 20;

/** The sentence for a chain that the table lacks. Names the served chains that may be used instead, at most `MAX_NAMED_CHAINS`. */
export function unknownChainProblem(served: readonly Chain[]): string {
  const names = served.map(({ slug }) => slug);
  if (names.length === 0) return 'is not a supported chain';
  const others = names.length - MAX_NAMED_CHAINS;
  const more = others > 0 ? ` and ${String(others)} more` : '';
  return `is not a supported chain: use one of ${names.slice(0, MAX_NAMED_CHAINS).join(', ')}${more}`;
}

/** All chains are served unless `isServed` says otherwise. @throws InvariantError when two chains share a slug or an id. */
export function createChainTable(
  chains: readonly Chain[],
  isServed: (chain: Chain) => boolean = () => true,
): ChainTable {
  const bySlug = new Map(chains.map((chain) => [chain.slug, chain]));
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  if (bySlug.size !== chains.length || byId.size !== chains.length) {
    throw new InvariantError('two chains of the table share a slug or an id');
  }
  return {
    all: chains,
    served: chains.filter(isServed),
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
