import { parseAddress } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import { unknownChainProblem } from '../../chains/chain-table';
import { validationError } from '../../errors/validation';
import type { TokenBalanceDeps } from './balance-deps';

/** Chains that one request may name. */
const MAX_CHAINS = 50;

export type ChainDeps = Pick<TokenBalanceDeps, 'chains' | 'rpc' | 'solana'>;

/**
 * The chains of a wallet that are served, or those of them that the request names. Chains with other addresses are left out.
 *
 * @throws VALIDATION_ERROR for a chain that the deployment does not serve, and for more than 50
 */
export function chainsOfWallet(
  deps: ChainDeps,
  address: string,
  chainIds?: readonly number[] | null,
): readonly Chain[] {
  const served = deps.chains.all.filter((chain) => isServed(deps, chain));
  const own = served.filter(({ kind }) => parseAddress(kind, address) !== undefined);
  if (chainIds === undefined || chainIds === null) return own;
  if (chainIds.length > MAX_CHAINS) {
    throw validationError([{ path: 'chainIds', message: `must name at most ${String(MAX_CHAINS)} chains` }]);
  }
  const unknown = [...chainIds.keys()].filter((index) => !served.some(({ chainId }) => chainId === chainIds[index]));
  if (unknown.length > 0) {
    const message = unknownChainProblem(served);
    throw validationError(unknown.map((index) => ({ path: `chainIds.${String(index)}`, message })));
  }
  return own.filter(({ chainId }) => chainIds.includes(chainId));
}

/** True when the deployment reads balances on the chain. */
export function isServed({ rpc, solana }: ChainDeps, { kind, chainId }: Chain): boolean {
  if (kind === 'evm') return rpc.serves(chainId);
  return kind === 'solana' && solana?.serves(chainId) === true;
}
