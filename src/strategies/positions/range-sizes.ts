import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../async/cache-size';
import { maxBigInt, minBigInt } from '../../money/min-max';
import type { PositionOwner } from './position-store';

const FIRST_SIZE = 5000n;
const MAX_SIZE = 200_000n;
/** Full ranges in a row that a node has accepted before a larger one is tried. */
const SUCCESSES = 8;
const SUCCESSES_OF_WALK = 2;
const MAX_WALKS = 10_000;
const WALK_TTL_MS = 3_600_000;

/** The histories of a wallet on a chain, which are read together. */
export interface WalkKey {
  readonly owner: PositionOwner;
  readonly chainId: number;
}

export interface RefusedRange {
  readonly requested: bigint;
  /** Number of blocks that the node names for this request. */
  readonly suggested?: number | undefined;
  /** Number of blocks that the node states as its maximum for all requests. */
  readonly maximum?: number | undefined;
}

/**
 * Blocks of one `eth_getLogs`. What a node states as its maximum holds for all walks of its chain. What is too much because of
 * the logs of one wallet concerns this walk only. Learned again by each process.
 */
export interface RangeSizes {
  get(walk: WalkKey): bigint;
  /** A full range was accepted. */
  accepted(walk: WalkKey): void;
  /** A range was refused, or took too long. */
  refused(walk: WalkKey, range: RefusedRange): void;
}

interface Size {
  readonly size: bigint;
  readonly successes: number;
}

const grown = ({ size, successes }: Size, needed: number): Size =>
  successes + 1 >= needed ? { size: size * 2n, successes: 0 } : { size, successes: successes + 1 };

export function createRangeSizes(): RangeSizes {
  const ofChains = new Map<number, Size>();
  const ofWalks = new LRUCache<string, Size>({ ...atMostEntries(MAX_WALKS), ttl: WALK_TTL_MS });
  const keyOf = ({ owner: { customerId, wallet }, chainId }: WalkKey): string =>
    `${customerId}:${wallet}:${String(chainId)}`;
  const ofChain = (chainId: number): Size => ofChains.get(chainId) ?? { size: FIRST_SIZE, successes: 0 };
  const get = (walk: WalkKey): bigint => {
    const { size } = ofChain(walk.chainId);
    return minBigInt(size, ofWalks.get(keyOf(walk))?.size ?? size);
  };
  return {
    get,
    accepted(walk) {
      const [known, chain] = [ofWalks.get(keyOf(walk)), ofChain(walk.chainId)];
      if (known === undefined || known.size >= chain.size) {
        const next = grown(chain, SUCCESSES);
        ofChains.set(walk.chainId, { ...next, size: minBigInt(next.size, MAX_SIZE) });
      } else ofWalks.set(keyOf(walk), grown(known, SUCCESSES_OF_WALK));
    },
    refused(walk, { requested, suggested, maximum }) {
      const size = suggested === undefined ? requested / 2n : BigInt(suggested);
      ofWalks.set(keyOf(walk), { size: maxBigInt(1n, size), successes: 0 });
      if (maximum === undefined) return;
      ofChains.set(walk.chainId, { size: minBigInt(ofChain(walk.chainId).size, BigInt(maximum)), successes: 0 });
    },
  };
}
