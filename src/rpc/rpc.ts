import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createPublicClient, type PublicClient } from 'viem';
import type { ChainTable } from '../chains/chain-table';
import { invariant, InvariantError } from '../errors/invariant-error';
import { type ChainHealth, readChainHealth } from './chain-health';
import { withChainIdCheck } from './chain-id-check';
import type { ContractRead } from './contract-read';
import { type FeeData, readFeeData } from './fee-data';
import { readAll, type ReadOptions, type ReadResults } from './multicall';
import { rpcFailure } from './rpc-failure';
import { rpcTransport } from './rpc-transport';
import { simulateCalls, type SimulatedCall, type SimulatedTransaction, type SimulationOptions } from './simulate';

/**
 * The EVM chains that this deployment serves.
 *
 * Every function throws PROVIDER_UNAVAILABLE when the chain does not respond in time, and InvariantError for a chain that
 * is not served.
 */
export interface Rpc {
  /** True when the deployment has an endpoint of this EVM chain; decided without a call. */
  serves(chainId: number): boolean;
  /**
   * The viem client, for calls that this interface lacks. Its errors contain PROVIDER_UNAVAILABLE in their chain of causes;
   * `request` throws it directly.
   */
  client(chainId: number): PublicClient;
  /** Runs the calls of `run`. Errors other than service errors become PROVIDER_UNAVAILABLE. */
  request<Result>(chainId: number, run: (client: PublicClient) => Promise<Result>): Promise<Result>;
  /** All reads in one eth_call, hence of one block; `undefined` where a call reverted or does not match the ABI. */
  multicall<const Reads extends readonly ContractRead<unknown>[]>(
    chainId: number,
    reads: Reads,
    options?: ReadOptions,
  ): Promise<ReadResults<Reads>>;
  /** Simulates the calls in order after the latest block, without signatures; each sees the effects of those before. */
  simulate(
    chainId: number,
    calls: readonly SimulatedTransaction[],
    options?: SimulationOptions,
  ): Promise<readonly SimulatedCall[]>;
  /** At most two seconds old. */
  feeData(chainId: number): Promise<FeeData>;
  blockNumber(chainId: number): Promise<bigint>;
  /** Never throws for a served chain: an unavailable chain is `down`. At most two seconds old. */
  health(chainId: number): Promise<ChainHealth>;
}

export interface RpcOptions {
  readonly chains: { readonly table: ChainTable; readonly rpcUrls: ReadonlyMap<number, string> };
  readonly log: Pick<Logger, 'warn'>;
  /** Time limit of one request. */
  readonly timeoutMs?: number;
  /** Bound of one response; 8 MB by default. */
  readonly maxResponseBytes?: number;
}

const DEFAULT_TIMEOUT_MS = 8000;
const CACHE_TTL_MS = 2000;

export function createRpc(options: RpcOptions): Rpc {
  const clients = clientsOf(options);
  const client = (chainId: number): PublicClient => {
    const found = clients.get(chainId);
    invariant(found !== undefined, `chain ${String(chainId)} is not served`);
    return found;
  };
  const request: Rpc['request'] = async (chainId, run) => {
    const own = client(chainId);
    try {
      return await run(own);
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      throw rpcFailure(options.chains.table.get(chainId).slug, error);
    }
  };
  const fees = cached((chainId) => request(chainId, readFeeData), clients.size);
  const healths = cached((chainId) => readChainHealth(client(chainId)), clients.size);
  return {
    serves: (chainId) => clients.has(chainId),
    client,
    request,
    multicall: async (chainId, reads, readOptions = {}) => request(chainId, (own) => readAll(own, reads, readOptions)),
    simulate: async (chainId, calls, simulationOptions = {}) =>
      request(chainId, (own) => simulateCalls(own, calls, simulationOptions)),
    feeData: fees,
    blockNumber: async (chainId) => request(chainId, (own) => own.getBlockNumber({ cacheTime: 0 })),
    health: healths,
  };
}

function clientsOf(options: RpcOptions): ReadonlyMap<number, PublicClient> {
  const { log, timeoutMs = DEFAULT_TIMEOUT_MS, maxResponseBytes } = options;
  const clients = new Map<number, PublicClient>();
  for (const [chainId, url] of options.chains.rpcUrls) {
    const chain = options.chains.table.get(chainId);
    if (chain.kind !== 'evm') continue;
    const node = rpcTransport({ slug: chain.slug, url, timeoutMs, maxResponseBytes, log });
    const transport = withChainIdCheck(node, { slug: chain.slug, chainId, log });
    clients.set(chainId, createPublicClient({ transport, pollingInterval: 500 }));
  }
  return clients;
}

/** Reads once per chain for concurrent callers and caches the result for a short time. */
function cached<Result extends object>(
  read: (chainId: number) => Promise<Result>,
  chains: number,
): (chainId: number) => Promise<Result> {
  const cache = new LRUCache<number, Result>({ max: Math.max(1, chains), ttl: CACHE_TTL_MS, fetchMethod: read });
  return async (chainId) => cache.forceFetch(chainId);
}
