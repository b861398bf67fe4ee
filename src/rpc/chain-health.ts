import { isHex, type PublicClient } from 'viem';
import { z } from 'zod';

export interface ChainHealth {
  /** `degraded`: the node answers but its newest block is old. `down`: it could not be asked. */
  readonly status: 'ok' | 'degraded' | 'down';
  /** Absent when down. */
  readonly blockNumber: number | undefined;
  /** Seconds since the newest block; absent when down. */
  readonly lagSeconds: number | undefined;
}

/** Age of the newest block from which a node counts as left behind. */
const STALE_AFTER_SECONDS = 120;
/** How long a node may take before it counts as down. */
const PATIENCE_MS = 2500;

const small = z
  .string()
  .refine((text) => isHex(text) && text.length <= 15)
  .transform((text) => Number.parseInt(text, 16));
const newestBlock = z.object({ number: small, timestamp: small });

export async function readChainHealth(client: PublicClient): Promise<ChainHealth> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }, { signal });
    const block = newestBlock.parse(answer);
    const lagSeconds = Math.max(0, Math.floor(Date.now() / 1000) - block.timestamp);
    return { status: lagSeconds > STALE_AFTER_SECONDS ? 'degraded' : 'ok', blockNumber: block.number, lagSeconds };
  } catch {
    return { status: 'down', blockNumber: undefined, lagSeconds: undefined };
  }
}
