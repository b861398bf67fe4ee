import { LRUCache } from 'lru-cache';
import { type Address, erc20Abi, parseAbi } from 'viem';
import { atMostEntries } from '../async/cache-size';
import { isServiceError } from '../errors/service-error';
import { contractRead } from './contract-read';
import type { Rpc } from './rpc';

/** A contract that accepts tokens and cannot return them. */
export type ContractKind = 'token' | 'pool';

/**
 * The kind of the contract at an address of an EVM chain, by the functions that it responds to. `undefined` for wallets, for
 * all other contracts, and while the chain is unavailable.
 */
export type FindContractKind = (
  chainId: number,
  address: string,
  signal?: AbortSignal,
) => Promise<ContractKind | undefined>;

const pool = parseAbi(['function token0() view returns (address)', 'function token1() view returns (address)']);

const MAX_ADDRESSES = 50_000;
const FOUND_TTL_MS = 3_600_000;
/** Short: a contract may be deployed at any time. */
const ABSENT_TTL_MS = 60_000;

type Lookup = { readonly kind: ContractKind | undefined };

export function createContractKindFinder({
  rpc,
}: {
  readonly rpc: Pick<Rpc, 'multicall' | 'serves'>;
}): FindContractKind {
  const lookups = new LRUCache<string, Lookup>(atMostEntries(MAX_ADDRESSES));
  return async (chainId, address, signal) => {
    const key = `${String(chainId)}:${address}`;
    const cached = lookups.get(key);
    if (cached !== undefined || !rpc.serves(chainId)) return cached?.kind;
    try {
      const kind = await readKind(rpc, { chainId, address: address as Address }, signal);
      lookups.set(key, { kind }, { ttl: kind === undefined ? ABSENT_TTL_MS : FOUND_TTL_MS });
      return kind;
    } catch (error) {
      if (isServiceError(error)) return undefined;
      throw error;
    }
  };
}

async function readKind(
  rpc: Pick<Rpc, 'multicall'>,
  { chainId, address }: { readonly chainId: number; readonly address: Address },
  signal: AbortSignal | undefined,
): Promise<ContractKind | undefined> {
  const [token0, token1, decimals, supply] = await rpc.multicall(
    chainId,
    [
      contractRead({ address, abi: pool, functionName: 'token0' }),
      contractRead({ address, abi: pool, functionName: 'token1' }),
      contractRead({ address, abi: erc20Abi, functionName: 'decimals' }),
      contractRead({ address, abi: erc20Abi, functionName: 'totalSupply' }),
    ],
    { signal },
  );
  if (token0 !== undefined && token1 !== undefined) return 'pool';
  return decimals !== undefined && supply !== undefined ? 'token' : undefined;
}
