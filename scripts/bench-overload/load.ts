import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { ServerProcess } from '../bench-quotes/server-process';

export interface Target {
  readonly server: Pick<ServerProcess, 'url' | 'trade'>;
  readonly apiKey: string;
}

/** A response, with the milliseconds from sending its request. */
export interface Sample {
  /** `refused`: with `Retry-After`. */
  readonly outcome: 'served' | 'refused' | 'failed';
  readonly milliseconds: number;
}

export type Send = (number: number) => Promise<Sample>;

export interface Client {
  /** A quote with an amount of its own, so that no two requests share a response. */
  readonly requestQuote: Send;
  /** A cheap request: the list of actions, the status of an unknown action, or the health, in turns. */
  readonly requestCheap: Send;
  close(): Promise<void>;
}

const WALLET = `0x${'11'.repeat(20)}`;
const UNKNOWN_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
/** Sent in turns. */
export const CHEAP = [
  { name: 'actions', path: `/actions?walletAddress=${WALLET}`, status: 200 },
  { name: 'status', path: `/v2/swap/status/${UNKNOWN_ID}`, status: 404 },
  { name: 'health', path: '/health', status: 200 },
] as const;

export function createClient({ server, apiKey }: Target): Client {
  const pool = new Pool(new URL(server.url).origin, { connections: 512 });
  const send = async (path: string, expected = 200): Promise<Sample> => {
    const sentAt = performance.now();
    const {
      statusCode: status,
      headers,
      body,
    } = await pool.request({
      method: 'GET',
      path,
      headers: { 'x-api-key': apiKey },
    });
    await body.dump();
    const isRefused = status === 503 && headers['retry-after'] !== undefined;
    return {
      outcome: isRefused ? 'refused' : status === expected ? 'served' : 'failed',
      milliseconds: performance.now() - sentAt,
    };
  };
  const { chain, tokenIn, tokenOut } = server.trade;
  return {
    requestQuote(number) {
      const query = { originChain: chain, destinationChain: chain, tokenIn, tokenOut, amountIn: String(1e6 + number) };
      return send(`/v2/swap/quote?${new URLSearchParams(query).toString()}`);
    },
    requestCheap(number) {
      const { path, status } = CHEAP[number % CHEAP.length] ?? CHEAP[0];
      return send(path, status);
    },
    close: () => pool.close(),
  };
}

/** Sends requests one after the other in each of `concurrency` loops. Returns the number of successful ones per second. */
export async function measureCapacity(
  send: Send,
  { concurrency, seconds }: { readonly concurrency: number; readonly seconds: number },
): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let [next, served] = [0, 0];
  const loop = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const { outcome } = await send((next += 1));
      if (outcome === 'served') served += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return served / ((performance.now() - startedAt) / 1000);
}

/** Sends requests at a steady rate, whether or not earlier ones have completed. */
export async function sendSteadily(
  send: Send,
  { perSecond, seconds, first }: { readonly perSecond: number; readonly seconds: number; readonly first: number },
): Promise<readonly Sample[]> {
  const startedAt = performance.now();
  const requests: Promise<Sample>[] = [];
  for (let number = 0; number < perSecond * seconds; number++) {
    const early = startedAt + (number * 1000) / perSecond - performance.now();
    if (early > 0) await wait(early);
    requests.push(send(first + number));
  }
  return Promise.all(requests);
}
