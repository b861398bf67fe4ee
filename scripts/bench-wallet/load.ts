import { Pool } from 'undici';
import { InvariantError } from '../../src/errors/invariant-error';

const TOKENS = 50;
const POSITIONS = 20;

/** A request whose response has the overview of a wallet. */
export interface OverviewRequest {
  readonly title: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Pages of the history that are requested in turns, so that no response is that of an earlier request. Default: the first one. */
  readonly pages?: number;
}

export interface LoadOptions {
  readonly url: string;
  readonly apiKey: string;
  /** Requests in progress. */
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Sends a request again and again on each connection. Returns the milliseconds of each response, and the requests a second.
 *
 * @throws InvariantError unless every response has the same length, status 200 and no errors
 */
export async function load(
  request: OverviewRequest,
  { url, apiKey, connections, seconds }: LoadOptions,
): Promise<{ readonly times: readonly number[]; readonly perSecond: number }> {
  const pool = new Pool(new URL(url).origin, { connections });
  const times: number[] = [];
  const startedAt = performance.now();
  let sent = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - startedAt < seconds * 1000) {
      const sentAt = performance.now();
      const page = sent++ % (request.pages ?? 1);
      await send(
        pool,
        { ...request, path: page === 0 ? request.path : `${request.path}?page=${String(page + 1)}` },
        apiKey,
      );
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const perSecond = (times.length * 1000) / (performance.now() - startedAt);
  await pool.close();
  return { times, perSecond };
}

async function send(pool: Pool, { title, method, path, body }: OverviewRequest, apiKey: string): Promise<void> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const response = await pool.request({ method, path, headers, body: body ?? null });
  const text = await response.body.text();
  const count = (pattern: RegExp): number => (text.match(pattern) ?? []).length;
  const isComplete =
    count(/"id":"\d+:/g) === TOKENS && count(/"receiptBalance"/g) === POSITIONS && /"total":\d{4}/.test(text);
  if (response.statusCode === 200 && !text.includes('"code"') && isComplete) return;
  throw new InvariantError(`${title} failed: ${String(response.statusCode)} ${text.slice(0, 500)}`);
}
