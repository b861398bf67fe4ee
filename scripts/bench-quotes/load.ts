import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { InvariantError } from '../../src/errors/invariant-error';
import type { ServerProcess } from './server-process';

export interface LoadOptions {
  readonly server: Pick<ServerProcess, 'url' | 'trade'>;
  readonly apiKey: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Amount of the first request; each request adds one. */
  readonly firstAmount: number;
}

/**
 * Sends requests for quotes at a steady rate, whether or not earlier ones have completed. Returns the milliseconds from
 * sending each request to its response, by the requested amount.
 *
 * @throws InvariantError unless every response is a quote
 */
export async function load(options: LoadOptions): Promise<ReadonlyMap<string, number>> {
  const { server, perSecond, seconds, firstAmount } = options;
  const pool = new Pool(new URL(server.url).origin, { connections: 256 });
  const times = new Map<string, number>();
  const startedAt = performance.now();
  const requests: Promise<void>[] = [];
  for (let number = 0; number < perSecond * seconds; number++) {
    const early = startedAt + (number * 1000) / perSecond - performance.now();
    if (early > 0) await wait(early);
    const amount = String(firstAmount + number);
    requests.push(requestQuote(pool, options, amount).then((milliseconds) => void times.set(amount, milliseconds)));
  }
  await Promise.all(requests);
  await pool.close();
  return times;
}

async function requestQuote(pool: Pool, { server: { trade }, apiKey }: LoadOptions, amountIn: string): Promise<number> {
  const { chain, tokenIn, tokenOut } = trade;
  const query = { originChain: chain, destinationChain: chain, tokenIn, tokenOut, amountIn };
  const sentAt = performance.now();
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path: '/v2/swap/quote',
    query,
    headers: { 'x-api-key': apiKey },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new InvariantError(`a request for a quote failed with ${statusCode} ${text}`);
  return performance.now() - sentAt;
}
