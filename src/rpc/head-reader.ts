import { z } from 'zod';
import { isHex, type PublicClient } from 'viem';
import type { Rpc } from './rpc';

/** The newest block of a chain. */
export interface Head {
  readonly number: bigint;
  readonly hash: string;
}

/** Reads the newest blocks of chains, once for everything in this process that follows them. */
export interface HeadReader {
  /** The newest block, as of a short time ago. @throws PROVIDER_UNAVAILABLE */
  read(chainId: number): Promise<Head>;
}

interface Reading {
  readonly head: Promise<Head>;
  readonly startedAt: number;
}

/** `maxAgeMs`: a head is read again after this time. */
export function createHeadReader({
  rpc,
  maxAgeMs,
}: {
  readonly rpc: Pick<Rpc, 'client'>;
  readonly maxAgeMs: number;
}): HeadReader {
  const readings = new Map<number, Reading>();
  return {
    read(chainId) {
      const latest = readings.get(chainId);
      if (latest !== undefined && Date.now() - latest.startedAt < maxAgeMs) return latest.head;
      const reading = { head: readHead(rpc.client(chainId)), startedAt: Date.now() };
      readings.set(chainId, reading);
      // A failure is not shared with later readers: their own backoff decides when to try again.
      reading.head.catch(() => readings.get(chainId) === reading && readings.delete(chainId));
      return reading.head;
    },
  };
}

const headSchema = z.object({
  number: z.string().refine((text) => isHex(text) && text.length > 2 && text.length <= 18),
  hash: z.string().regex(/^0x[0-9a-f]{64}$/i),
});

/** The newest block. @throws PROVIDER_UNAVAILABLE */
export async function readHead(client: PublicClient): Promise<Head> {
  const response: unknown = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  const { number, hash } = headSchema.parse(response);
  return { number: BigInt(number), hash };
}
