import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createPublicClient, type PublicClient } from 'viem';
import type { ChainTable } from '../chains/chain-table';
import { invariant, InvariantError } from '../errors/invariant-error';
import { type ChainHealth, readChainHealth } from './chain-health';
import type { ContractRead } from './contract-read';
import { type FeeData, readFeeData } from './fee-data';
import { readAll, type ReadOptions, type ReadResults } from './multicall';
import { rpcFailure } from './rpc-failure';
import { rpcTransport } from './rpc-transport';
import { simulateCalls, type SimulatedCall, type SimulatedTransaction, type SimulationOptions } from './simulate';

/**
 * The EVM chains that this deployment serves.
 *
 * Every function throws PROVIDER_UNAVAILABLE when the chain could not be asked in time, and InvariantError for a chain
 * that is not served.
 */
export interface Rpc {
  /** True when the deployment has an endpoint of this EVM chain; decided without a call. */
  serves(chainId: number): boolean;
  /**
   * The viem client, for what is not offered here. A chain that could not be asked is PROVIDER_UNAVAILABLE somewhere in
   * the chain of causes of what it throws: pass through `ask` to have it on top.
   */
  client(chainId: number): PublicClient;
  /** Runs `question` and turns whatever it throws into PROVIDER_UNAVAILABLE, unless it is a service error already. */
  ask<Answer>(chainId: number, question: (client: PublicClient) => Promise<Answer>): Promise<Answer>;
  /** All reads in one eth_call, hence on one block; `undefined` where a call reverted or answered another shape. */
  multicall<const Reads extends readonly ContractRead<unknown>[]>(
    chainId: number,
    reads: Reads,
    options?: ReadOptions,
  ): Promise<ReadResults<Reads>>;
  /** Tries the calls in order on the newest block, without signatures; each sees what those before it did. */
  simulate(
    chainId: number,
    calls: readonly SimulatedTransaction[],
    options?: SimulationOptions,
  ): Promise<readonly SimulatedCall[]>;
  /** At most two seconds old. */
  feeData(chainId: number): Promise<FeeData>;
  blockNumber(chainId: number): Promise<bigint>;
  /** Never throws for a served chain: a chain that cannot be asked is `down`. At most two seconds old. */
  health(chainId: number): Promise<ChainHealth>;
}

export interface RpcOptions {
  readonly chains: { readonly table: ChainTable; readonly rpcUrls: ReadonlyMap<number, string> };
  readonly log: Pick<Logger, 'warn'>;
  /** Longest time that one exchange with a node may take. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 8000;
const FRESH_MS = 2000;

export function createRpc(options: RpcOptions): Rpc {
  const clients = clientsOf(options);
  const client = (chainId: number): PublicClient => {
    const found = clients.get(chainId);
    invariant(found !== undefined, `chain ${String(chainId)} is not served`);
    return found;
  };
  const ask: Rpc['ask'] = async (chainId, question) => {
    const asked = client(chainId);
    try {
      return await question(asked);
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      throw rpcFailure(options.chains.table.get(chainId).slug, error);
    }
  };
  const fees = recent((chainId) => ask(chainId, readFeeData), clients.size);
  const healths = recent((chainId) => readChainHealth(client(chainId)), clients.size);
  return {
    serves: (chainId) => clients.has(chainId),
    client,
    ask,
    multicall: async (chainId, reads, readOptions = {}) => ask(chainId, (asked) => readAll(asked, reads, readOptions)),
    simulate: async (chainId, calls, simulationOptions = {}) =>
      ask(chainId, (asked) => simulateCalls(asked, calls, simulationOptions)),
    feeData: fees,
    blockNumber: async (chainId) => ask(chainId, (asked) => asked.getBlockNumber({ cacheTime: 0 })),
    health: healths,
  };
}

function clientsOf(options: RpcOptions): ReadonlyMap<number, PublicClient> {
  const { log, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const clients = new Map<number, PublicClient>();
  for (const [chainId, url] of options.chains.rpcUrls) {
    const chain = options.chains.table.get(chainId);
    if (chain.kind !== 'evm') continue;
    const transport = rpcTransport({ slug: chain.slug, url, timeoutMs, log });
    clients.set(chainId, createPublicClient({ transport, pollingInterval: 500 }));
  }
  return clients;
}

/** One answer per chain, shared by callers of the same moment and kept for a short while. */
function recent<Answer extends object>(
  read: (chainId: number) => Promise<Answer>,
  chains: number,
): (chainId: number) => Promise<Answer> {
  const cache = new LRUCache<number, Answer>({ max: Math.max(1, chains), ttl: FRESH_MS, fetchMethod: read });
  return async (chainId) => cache.forceFetch(chainId);
}
