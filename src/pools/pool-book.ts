import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { z } from 'zod';
import type { Rpc } from '../rpc/rpc';
import { type SharedTask, startSharedTask } from '../async/shared-task';
import type { LiveHop } from './live-hop';
import type { Pool } from './pool';
import { createPoolDraft } from './pool-draft';
import type { PoolDraft, PoolHint } from './pool-knowledge';

/** Pools as they stood after one block. Read once, for everybody who asks while it is the newest. */
export interface PoolPage {
  readonly blockNumber: bigint;
  /** What a transaction sent at that time was expected to pay for a unit of gas, in wei. */
  readonly feePerGas: bigint;
  /** Both directions of those pools that can trade. @throws PROVIDER_UNAVAILABLE */
  hops(pools: readonly Pool[], signal: AbortSignal): Promise<readonly LiveHop[]>;
  /** Reads more ticks of pools whose hops left what was known. @throws PROVIDER_UNAVAILABLE */
  widen(pools: readonly Pool[], signal: AbortSignal): Promise<void>;
}

/** Keeps what stands in the pools of all chains, as of their newest blocks. */
export interface PoolBook {
  /** The page of the newest block: who asks after a block was mined sees what it did. @throws PROVIDER_UNAVAILABLE */
  newest(chainId: number, signal: AbortSignal): Promise<PoolPage>;
}

type BookRpc = Pick<Rpc, 'ask' | 'multicall'>;

const MAX_PAGES = 16;
const MAX_POOLS_OF_PAGE = 1000;
const MAX_HINTS = 5000;
const HINTS_FOR_MS = 600_000;

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/)
  .transform((text) => BigInt(text));
const headSchema = z.object({ number: quantity, hash: z.string().startsWith('0x') });

type Hints = LRUCache<string, PoolHint>;

export function createPoolBook({ rpc }: { readonly rpc: BookRpc }): PoolBook {
  const heads = new Map<number, SharedTask<Head>>();
  const pages = new LRUCache<string, PoolPage>({ max: MAX_PAGES });
  const hints: Hints = new LRUCache({ max: MAX_HINTS, ttl: HINTS_FOR_MS });
  const headOf = (chainId: number): SharedTask<Head> => {
    const asked = heads.get(chainId);
    if (asked !== undefined && !asked.isAbandoned) return asked;
    const task: SharedTask<Head> = startSharedTask((signal) =>
      readHead(rpc, chainId, signal).finally(() => {
        if (heads.get(chainId) === task) heads.delete(chainId);
      }),
    );
    heads.set(chainId, task);
    return task;
  };
  return {
    async newest(chainId, signal) {
      const head = await rpc.ask(chainId, () => headOf(chainId).join(signal));
      const key = `${String(chainId)}:${head.hash}`;
      const page = pages.get(key) ?? createPage({ rpc, hints, chainId }, head);
      pages.set(key, page);
      return page;
    },
  };
}

interface Head {
  readonly number: bigint;
  readonly hash: string;
  readonly feePerGas: bigint;
}

/** In one HTTP request. */
async function readHead(rpc: BookRpc, chainId: number, signal: AbortSignal): Promise<Head> {
  return rpc.ask(chainId, async (client) => {
    const [block, gasPrice]: readonly unknown[] = await Promise.all([
      client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }, { signal }),
      client.request({ method: 'eth_gasPrice' }, { signal }),
    ]);
    return { ...headSchema.parse(block), feePerGas: quantity.parse(gasPrice) };
  });
}

interface PageDeps {
  readonly rpc: BookRpc;
  readonly hints: Hints;
  readonly chainId: number;
}

/** A pool of a page, and the reading that completes it. */
interface Entry {
  readonly draft: PoolDraft;
  reading: SharedTask<void>;
  isComplete: boolean;
}

function createPage(deps: PageDeps, { number: blockNumber, feePerGas }: Head): PoolPage {
  const { rpc, hints, chainId } = deps;
  const entries = new LRUCache<Address, Entry>({ max: MAX_POOLS_OF_PAGE });
  const hintKey = ({ address }: Pool): string => `${String(chainId)}:${address}`;
  /** One reading for all of them. What fails is forgotten, so that the next caller tries again. */
  const read = (asked: readonly { readonly pool: Pool; readonly draft: PoolDraft }[]): void => {
    if (asked.length === 0) return;
    const drafts = asked.map(({ draft }) => draft);
    const reading = startSharedTask((signal) =>
      answerAll({ rpc, chainId, blockNumber }, drafts, signal).then(
        () => {
          for (const { pool, draft } of asked) {
            const entry = entries.get(pool.address);
            if (entry?.draft === draft) entry.isComplete = true;
            if (draft.hint !== undefined) hints.set(hintKey(pool), draft.hint);
          }
        },
        (error: unknown) => {
          for (const { pool, draft } of asked)
            if (entries.get(pool.address)?.draft === draft) entries.delete(pool.address);
          throw error;
        },
      ),
    );
    for (const { pool, draft } of asked) entries.set(pool.address, { draft, reading, isComplete: false });
  };
  const entriesOf = (pools: readonly Pool[]): readonly Entry[] => {
    const missing = pools.filter(({ address }) => entries.get(address)?.reading.isAbandoned ?? true);
    read(missing.map((pool) => ({ pool, draft: createPoolDraft(pool, hints.get(hintKey(pool))) })));
    return pools.flatMap(({ address }) => entries.get(address) ?? []);
  };
  const complete = async (asked: readonly Entry[], signal: AbortSignal): Promise<void> => {
    const readings = new Set(asked.filter(({ isComplete }) => !isComplete).map(({ reading }) => reading));
    await rpc.ask(chainId, () => Promise.all([...readings].map((reading) => reading.join(signal))));
  };
  return {
    blockNumber,
    feePerGas,
    async hops(pools, signal) {
      const asked = entriesOf(pools);
      await complete(asked, signal);
      return asked.flatMap(({ draft }) => draft.hops());
    },
    async widen(pools, signal) {
      const asked = entriesOf(pools);
      await complete(asked, signal);
      const wider = pools.flatMap((pool) => {
        const entry = entries.get(pool.address);
        const draft = entry?.isComplete === true ? entry.draft.widened() : undefined;
        return draft === undefined ? [] : [{ pool, draft }];
      });
      read(wider);
      await complete(entriesOf(pools), signal);
    },
  };
}

interface Place {
  readonly rpc: BookRpc;
  readonly chainId: number;
  readonly blockNumber: bigint;
}

/** What is asked at once travels in one HTTP request, whose size nodes limit. */
const MAX_QUESTIONS = 1200;

/** Asks, in as many rounds as it takes: mostly one, for pools that were seen before. */
async function answerAll(
  { rpc, chainId, blockNumber }: Place,
  drafts: readonly PoolDraft[],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const questions = drafts.flatMap((draft) => draft.questions());
    if (questions.length === 0) return;
    for (let start = 0; start < questions.length; start += MAX_QUESTIONS) {
      const asked = questions.slice(start, start + MAX_QUESTIONS);
      const reads = asked.map(({ read }) => read);
      const answers: readonly unknown[] = await rpc.multicall(chainId, reads, { signal, blockNumber });
      asked.forEach(({ learn }, index) => learn(answers[index]));
    }
  }
}
