import { Pool } from 'undici';
import { createWriteClient, type WriteTarget } from './write-client';

const CONNECTIONS = 16;
const TIMEOUT_MS = 60_000;
/** Requests at a time. Slower responses than that allows lower the rate, which the scenario reports. */
const MAX_RUNNING = 64;

const DOCUMENT = `query Soak($wallet: Address!) {
  actions(walletAddress: $wallet, limit: 10) { data { id type status } pagination { total } }
  strategies(limit: 5) { data { id slug } }
}`;

export interface SoakLoad {
  /** Requests that were sent. */
  readonly sent: () => number;
  /** Responses without success by status and code. */
  readonly failures: ReadonlyMap<string, number>;
  /** Starts nothing new. Resolves after the running requests. */
  stop(): Promise<void>;
}

/**
 * Sends so many requests a second, of every 20: three quotes, two requests for bytecode (which create actions), five lists of
 * actions, three actions, two overviews of a wallet, two lists of strategies, and three GraphQL documents.
 */
export function startSoakLoad(target: WriteTarget, perSecond: number): SoakLoad {
  const writes = createWriteClient(target);
  const reads = createReader(target);
  const running = new Set<Promise<unknown>>();
  const [quoteIds, actionIds] = [[] as string[], [] as string[]];
  let [sent, amount] = [0, 1_000_000];

  const quote = async (): Promise<void> => {
    const quoteId = await writes.requestQuote((amount += 1));
    if (quoteId !== undefined) quoteIds.push(quoteId);
  };
  const bytecode = async (): Promise<void> => {
    const quoteId = quoteIds.pop();
    if (quoteId === undefined) return quote();
    const outcome = await writes.requestBytecode(quoteId, {});
    if (typeof outcome !== 'string') actionIds.push(outcome.id);
    actionIds.splice(0, actionIds.length - CONNECTIONS);
  };
  const action = (): Promise<void> => reads.get(actionIds.length > 0 ? `/actions/${actionIds[0] ?? ''}` : reads.list);
  const list = (): Promise<void> => reads.get(reads.list);
  const strategies = (): Promise<void> => reads.get('/v2/strategies?limit=5');
  const wallet = (): Promise<void> => reads.get(`/v2/wallets/${target.wallet}`);
  const first = [quote, list, reads.query, bytecode, list, action, wallet, quote, list, strategies];
  const second = [reads.query, list, action, bytecode, quote, list, reads.query, wallet, action, strategies];
  const mix = [...first, ...second];

  const sendNext = (): void => {
    const send = mix[(sent += 1) % mix.length] ?? list;
    const request = send().finally(() => running.delete(request));
    running.add(request);
    // Quotes that no request for bytecode used: only the newest ones are kept.
    quoteIds.splice(0, quoteIds.length - CONNECTIONS);
  };
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * perSecond) / 1000;
    for (; turns < due; turns += 1) if (running.size < MAX_RUNNING) sendNext();
  }, 1000 / perSecond);
  return {
    sent: () => sent,
    get failures() {
      return new Map([...writes.failures, ...reads.failures]);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      await Promise.all([writes.close(), reads.close()]);
    },
  };
}

function createReader({ url, apiKey, wallet }: WriteTarget) {
  const pool = new Pool(url, { connections: CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const failures = new Map<string, number>();
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const request = async (method: 'GET' | 'POST', path: string, body?: string): Promise<void> => {
    const status = await pool
      .request({ method, path, headers, body: body ?? null })
      .then(async (response) => {
        const text = await response.body.text();
        const hasErrors = method === 'POST' && text.includes('"errors"');
        return hasErrors ? 'GraphQL errors' : String(response.statusCode);
      })
      .catch(() => 'no response');
    if (status === '200') return;
    const name = `${path.split('?')[0] ?? ''}: ${status}`;
    failures.set(name, (failures.get(name) ?? 0) + 1);
  };
  return {
    failures,
    list: `/actions?walletAddress=${wallet}&limit=10`,
    get: (path: string) => request('GET', path),
    query: () => request('POST', '/graphql', JSON.stringify({ query: DOCUMENT, variables: { wallet } })),
    close: () => pool.destroy(),
  };
}
