import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { InvariantError } from '../../src/errors/invariant-error';
import type { ServerProcess } from './server-process';

export interface LoadOptions {
  readonly server: Pick<ServerProcess, 'url' | 'trade'>;
  readonly apiKey: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Amount of the first question; each one asks for one more. */
  readonly firstAmount: number;
}

/**
 * Sends questions at a steady rate, whether or not those before are answered. Returns the milliseconds that each took
 * from sending it to having its answer, by the amount asked for.
 *
 * @throws InvariantError unless each is answered with a quote
 */
export async function load(options: LoadOptions): Promise<ReadonlyMap<string, number>> {
  const { server, perSecond, seconds, firstAmount } = options;
  const pool = new Pool(new URL(server.url).origin, { connections: 256 });
  const times = new Map<string, number>();
  const startedAt = performance.now();
  const asking: Promise<void>[] = [];
  for (let number = 0; number < perSecond * seconds; number++) {
    const early = startedAt + (number * 1000) / perSecond - performance.now();
    if (early > 0) await wait(early);
    const amount = String(firstAmount + number);
    asking.push(ask(pool, options, amount).then((milliseconds) => void times.set(amount, milliseconds)));
  }
  await Promise.all(asking);
  await pool.close();
  return times;
}

async function ask(pool: Pool, { server: { trade }, apiKey }: LoadOptions, amountIn: string): Promise<number> {
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
  if (statusCode !== 200) throw new InvariantError(`a quote was answered with ${statusCode} ${text}`);
  return performance.now() - sentAt;
}
