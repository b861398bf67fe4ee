import { LRUCache } from 'lru-cache';
import { serviceError } from '../../../errors/service-error';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { tokenMessengerAbi, tokenMinterAbi } from './contracts';
import type { CctpEndpoint } from './cctp-route';

const TTL_MS = 600_000;
const MAX_CHAINS = 64;

/**
 * The maximum USDC of one burn on a chain, in base units, from its TokenMinter. Cached for ten minutes.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export type ReadBurnLimit = (end: CctpEndpoint) => Promise<bigint>;

export function createBurnLimitReader(id: string, rpc: Pick<Rpc, 'multicall'>): ReadBurnLimit {
  const cache = new LRUCache<number, { readonly limit: bigint }, CctpEndpoint>({
    max: MAX_CHAINS,
    ttl: TTL_MS,
    fetchMethod: async (chainId, _, { context: { cctp } }) => {
      const minterOf = { address: cctp.tokenMessenger, abi: tokenMessengerAbi, functionName: 'localMinter' } as const;
      const [minter] = await rpc.multicall(chainId, [contractRead(minterOf)]);
      if (minter === undefined) throw noResponseError(id);
      const limitOf = { address: minter, abi: tokenMinterAbi, functionName: 'burnLimitsPerMessage' } as const;
      const [limit] = await rpc.multicall(chainId, [contractRead({ ...limitOf, args: [cctp.usdc] })]);
      if (limit === undefined) throw noResponseError(id);
      return { limit };
    },
  });
  return async (end) => (await cache.forceFetch(end.chain.chainId, { context: end })).limit;
}

const noResponseError = (provider: string) =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'its contracts do not respond' });
