import { isHex, type PublicClient } from 'viem';
import { z } from 'zod';
import { wrongChainReason } from './chain-id-check';

export interface ChainHealth {
  /** `degraded`: the node responds, but its latest block is stale. `down`: it does not respond, or serves another chain. */
  readonly status: 'ok' | 'degraded' | 'down';
  /** Absent when down. */
  readonly blockNumber: number | undefined;
  /** Seconds since the latest block; absent when down. */
  readonly lagSeconds: number | undefined;
  /** What the operator has to correct. */
  readonly reason?: string | undefined;
}

/** Age of the latest block above which a node is degraded, and what it returns is stale. */
export const STALE_AFTER_SECONDS = 120;
/** A node that responds later counts as down. */
const TIMEOUT_MS = 2500;

const small = z
  .string()
  .refine((text) => isHex(text) && text.length <= 15)
  .transform((text) => Number.parseInt(text, 16));
const latestBlock = z.object({ number: small, timestamp: small });

export async function readChainHealth(client: PublicClient): Promise<ChainHealth> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }, { signal });
    const block = latestBlock.parse(response);
    const lagSeconds = Math.max(0, Math.floor(Date.now() / 1000) - block.timestamp);
    return { status: lagSeconds > STALE_AFTER_SECONDS ? 'degraded' : 'ok', blockNumber: block.number, lagSeconds };
  } catch (error) {
    return { status: 'down', blockNumber: undefined, lagSeconds: undefined, reason: wrongChainReason(error) };
  }
}
