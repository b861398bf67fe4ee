import { z } from 'zod';
import type { HttpClient } from '../../http/http-client';
import type { ChainHealth } from '../chain-health';

/** Age of the latest block above which a server is degraded. Two blocks are this far apart once in some years. */
const STALE_AFTER_SECONDS = 7200;
/** A server that responds later counts as down. */
const TIMEOUT_MS = 2500;

const newestFirst = z.array(z.object({ height: z.int().nonnegative(), timestamp: z.int().nonnegative() }));

/** Reads the latest block of an Esplora server. */
export async function readBitcoinHealth(http: Pick<HttpClient, 'get'>): Promise<ChainHealth> {
  try {
    const [latest] = newestFirst.parse(await http.get('/blocks', {}, AbortSignal.timeout(TIMEOUT_MS)));
    if (latest === undefined) return DOWN;
    const lagSeconds = Math.max(0, Math.floor(Date.now() / 1000) - latest.timestamp);
    return { status: lagSeconds > STALE_AFTER_SECONDS ? 'degraded' : 'ok', blockNumber: latest.height, lagSeconds };
  } catch {
    return DOWN;
  }
}

const DOWN: ChainHealth = { status: 'down', blockNumber: undefined, lagSeconds: undefined };
