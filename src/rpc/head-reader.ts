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
  /** The newest block that was read; `undefined` while this process does not follow the chain. */
  latest(chainId: number): Head | undefined;
}

/** A chain whose head was not read within this time is not followed by this process. */
const FOLLOWED_MS = 60_000;

interface Reading {
  readonly head: Promise<Head>;
  readonly startedAt: number;
}

interface LatestHead {
  readonly head: Head;
  readonly readAt: number;
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
  const latest = new Map<number, LatestHead>();
  return {
    read(chainId) {
      const last = readings.get(chainId);
      if (last !== undefined && Date.now() - last.startedAt < maxAgeMs) return last.head;
      const reading = { head: readHead(rpc.client(chainId)), startedAt: Date.now() };
      readings.set(chainId, reading);
      // A failure is not shared with later readers: their own backoff decides when to try again.
      reading.head.then(
        (head) => latest.set(chainId, { head, readAt: Date.now() }),
        () => readings.get(chainId) === reading && readings.delete(chainId),
      );
      return reading.head;
    },
    latest(chainId) {
      const last = latest.get(chainId);
      return last !== undefined && Date.now() - last.readAt < FOLLOWED_MS ? last.head : undefined;
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
