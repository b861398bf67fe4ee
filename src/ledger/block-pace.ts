import type { BlockHeader } from './read-headers';

/** Estimates how fast a chain makes blocks. */
export interface BlockPace {
  observe(block: Pick<BlockHeader, 'number' | 'time'>): void;
  /** Time to the next read of the head, in milliseconds: half of the time between two blocks, within bounds. */
  pollDelayMs(): number;
}

/** Blocks of one estimate: times of blocks are in whole seconds. */
const MAX_BLOCKS = 100n;
const MAX_DELAY_MS = 6000;

/** `minDelayMs`: the delay for fast chains, and before the pace is certain. */
export function createBlockPace(minDelayMs: number): BlockPace {
  let first: Pick<BlockHeader, 'number' | 'time'> | undefined;
  let delayMs = minDelayMs;
  return {
    observe(block) {
      if (first === undefined || block.number <= first.number) {
        first = block;
        return;
      }
      const blocks = block.number - first.number;
      const perBlockMs = (block.time.getTime() - first.time.getTime()) / Number.parseInt(blocks.toString(), 10);
      delayMs = Math.min(MAX_DELAY_MS, Math.max(minDelayMs, perBlockMs / 2));
      if (blocks >= MAX_BLOCKS) first = block;
    },
    pollDelayMs: () => delayMs,
  };
}
