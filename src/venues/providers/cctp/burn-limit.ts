import { LRUCache } from 'lru-cache';
import { serviceError } from '../../../errors/service-error';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { tokenMessengerAbi, tokenMinterAbi } from './contracts';
import type { LaneEnd } from './lane';

const FRESH_MS = 600_000;
const CHAINS = 64;

/**
 * The most USDC that one burn may take on a chain, in base units, as its TokenMinter says. At most ten minutes old.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export type ReadBurnLimit = (end: LaneEnd) => Promise<bigint>;

export function createBurnLimitReader(id: string, rpc: Pick<Rpc, 'multicall'>): ReadBurnLimit {
  const cache = new LRUCache<number, { readonly limit: bigint }, LaneEnd>({
    max: CHAINS,
    ttl: FRESH_MS,
    fetchMethod: async (chainId, _, { context: { cctp } }) => {
      const minterOf = { address: cctp.tokenMessenger, abi: tokenMessengerAbi, functionName: 'localMinter' } as const;
      const [minter] = await rpc.multicall(chainId, [contractRead(minterOf)]);
      if (minter === undefined) throw silent(id);
      const limitOf = { address: minter, abi: tokenMinterAbi, functionName: 'burnLimitsPerMessage' } as const;
      const [limit] = await rpc.multicall(chainId, [contractRead({ ...limitOf, args: [cctp.usdc] })]);
      if (limit === undefined) throw silent(id);
      return { limit };
    },
  });
  return async (end) => (await cache.forceFetch(end.chain.chainId, { context: end })).limit;
}

const silent = (provider: string) =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'its contracts do not answer' });
