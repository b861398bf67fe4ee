import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { backoffMs } from '../../src/async/backoff';
import { sleep } from '../../src/async/sleep';
import { createWriteClient, type WriteClient, type WriteTarget } from './write-client';

/** Clients that are in the middle of a quote or its bytecode at the same time. */
const LANES = 16;
/** Time until a request without success is repeated. */
const RETRY_MS = 250;
/** Longest time until a request for bytecode is repeated again. */
const MAX_RETRY_MS = 4000;

/** What the service has acknowledged, and how it failed. */
export interface Written extends Pick<WriteClient, 'failures' | 'undocumented'> {
  /** Ids of quotes. */
  readonly quotes: ReadonlySet<string>;
  /** Ids of actions by the id of their quote. */
  readonly actions: ReadonlyMap<string, string>;
  /** Ids of the quotes whose bytecode was refused for good. */
  readonly refused: ReadonlySet<string>;
}

export interface Writers extends Written {
  /** Quotes and actions that were acknowledged so far. */
  count(): number;
  /** Starts nothing new. Resolves when each request for bytecode was acknowledged or refused. */
  stop(): Promise<void>;
}

/**
 * Starts clients that request quotes, at most `perSecond` in a second, and the bytecode of each, which creates its action. A
 * request for bytecode is repeated until the action is acknowledged; every second one has an `Idempotency-Key`.
 */
export function startWriters(target: WriteTarget, perSecond: number): Writers {
  const client = createWriteClient(target);
  const [quotes, actions, refused] = [new Set<string>(), new Map<string, string>(), new Set<string>()];
  const repeating = new Set<Promise<void>>();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every client listens
  const turn = turns(perSecond);
  let amount = 1_000_000;

  const isSettled = async (quoteId: string, headers: Readonly<Record<string, string>>): Promise<boolean> => {
    const outcome = await client.requestBytecode(quoteId, headers);
    if (outcome === 'repeat') return false;
    if (outcome === 'refused') refused.add(quoteId);
    else actions.set(quoteId, outcome.id);
    return true;
  };
  const repeat = async (quoteId: string, headers: Readonly<Record<string, string>>): Promise<void> => {
    let failures = 0;
    do await sleep(backoffMs({ baseMs: RETRY_MS, maxMs: MAX_RETRY_MS, failures: failures++ }));
    while (!(await isSettled(quoteId, headers)));
  };
  const write = async (): Promise<void> => {
    const quoteId = await client.requestQuote((amount += 1));
    if (quoteId === undefined) return sleep(RETRY_MS, stopping.signal);
    quotes.add(quoteId);
    const headers: Record<string, string> = quotes.size % 2 === 0 ? { 'idempotency-key': randomUUID() } : {};
    if (await isSettled(quoteId, headers)) return;
    const repeated = repeat(quoteId, headers).finally(() => repeating.delete(repeated));
    repeating.add(repeated);
  };
  const lane = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await turn();
      await write();
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  return {
    quotes,
    actions,
    refused,
    failures: client.failures,
    undocumented: client.undocumented,
    count: () => quotes.size + actions.size,
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
      await Promise.all(repeating);
      await client.close();
    },
  };
}

/** Resolves so many times a second at most. Time in which it was not called is not caught up. */
function turns(perSecond: number): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(next, now);
    next = at + 1000 / perSecond;
    await sleep(at - now);
  };
}
