import { pageBounds, type PageRequest, type Pagination, paginationOf } from '../actions/pagination';
import type { Chain } from '../chains/chain';
import { type ChainTable, unknownChainProblem } from '../chains/chain-table';
import { validationError } from '../errors/validation';
import type { Token } from '../tokens/token';
import type { TokenRegistry } from '../tokens/token-registry';

export interface FindTokenDeps {
  readonly chains: ChainTable;
  readonly tokens: Pick<TokenRegistry, 'find'>;
  /** True for chains that this deployment can read. */
  readonly isServed: (chain: Chain) => boolean;
}

const MAX_ADDRESS_LENGTH = 128;

/** @throws VALIDATION_ERROR for an unknown chain or token; PROVIDER_UNAVAILABLE when the chain does not respond */
export async function findToken(
  deps: FindTokenDeps,
  { chain: name, address }: { readonly chain: string; readonly address: string },
): Promise<Token> {
  const chain = servedChain(deps, name);
  const found = address.length > MAX_ADDRESS_LENGTH ? undefined : await deps.tokens.find(chain, address);
  if (found !== undefined) return found;
  throw validationError([{ path: 'address', message: 'is not a token of its chain' }]);
}

function servedChain({ chains, isServed }: FindTokenDeps, name: string): Chain {
  const chain = chains.find(name);
  if (chain === undefined) throw validationError([{ path: 'chain', message: unknownChainProblem(chains.served) }]);
  if (!isServed(chain)) throw validationError([{ path: 'chain', message: 'is not supported by this deployment' }]);
  return chain;
}

const LIMITS = { defaultLimit: 20, maximum: 100 };

/**
 * A page of the tokens that the deployment lists on a chain.
 *
 * @throws VALIDATION_ERROR for an unknown chain, and when `page` or `limit` (1 to 100, default 20) is out of range
 */
export function listTokens(
  deps: FindTokenDeps,
  { chain: name, ...request }: PageRequest & { readonly chain: string },
): { readonly data: Token[]; readonly pagination: Pagination } {
  const { chainId, tokens } = servedChain(deps, name);
  const bounds = pageBounds(request, LIMITS);
  const start = (bounds.page - 1) * bounds.limit;
  const data = tokens.slice(start, start + bounds.limit).map((token) => ({ logoURI: undefined, ...token, chainId }));
  return { data, pagination: paginationOf(bounds, tokens.length) };
}
