import { maxBigInt, minBigInt } from '../../money/min-max';

const FIRST_SIZE = 5000n;
const MAX_SIZE = 200_000n;
/** Ranges in a row that a node has accepted before a larger one is tried. */
const SUCCESSES = 8;

/** Blocks of one `eth_getLogs` on each chain, as its node allows. Learned again by each process. */
export interface RangeSizes {
  get(chainId: number): bigint;
  /** A full range was accepted. */
  accepted(chainId: number): void;
  /** A range was refused, or took too long. `suggested`: number of blocks that the node names. */
  refused(chainId: number, requested: bigint, suggested?: number): void;
}

export function createRangeSizes(): RangeSizes {
  const sizes = new Map<number, { size: bigint; successes: number }>();
  const entry = (chainId: number): { size: bigint; successes: number } => {
    const known = sizes.get(chainId) ?? { size: FIRST_SIZE, successes: 0 };
    sizes.set(chainId, known);
    return known;
  };
  return {
    get: (chainId) => entry(chainId).size,
    accepted(chainId) {
      const { size, successes } = entry(chainId);
      const isEnough = successes + 1 >= SUCCESSES;
      const next = isEnough ? minBigInt(size * 2n, MAX_SIZE) : size;
      sizes.set(chainId, { size: next, successes: isEnough ? 0 : successes + 1 });
    },
    refused(chainId, requested, suggested) {
      const size = suggested === undefined ? requested / 2n : BigInt(suggested);
      sizes.set(chainId, { size: maxBigInt(1n, size), successes: 0 });
    },
  };
}
