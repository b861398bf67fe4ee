import { z } from 'zod';
import type { JsonRpc } from './json-rpc';

export interface HeartbeatOptions {
  readonly rpc: JsonRpc;
  readonly blockTimeSeconds: number;
  /** Blocks that follow a transaction at the pace of the block time, so that it becomes final. */
  readonly settlingBlocks: number;
}

/** An idle chain mines this seldom: every block stays in the state file, and the file is rewritten all the time. */
const IDLE_SECONDS = 15;

const blockNumber = z.string().transform((text) => Number.parseInt(text, 16));

export interface Heartbeat {
  /**
   * Runs `work` between two beats: a block that is mined while a chain goes back to an older state leaves numbers
   * without a block below it.
   */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when its last call has completed. */
  stop(): Promise<void>;
}

/** Mines empty blocks on a chain that otherwise mines only when a transaction arrives. */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { rpc, blockTimeSeconds, settlingBlocks } = options;
  let ownHead = -1;
  let pending = 0;
  let idleSeconds = 0;

  const beat = async (): Promise<void> => {
    const head = blockNumber.parse(await rpc.call('eth_blockNumber'));
    if (head !== ownHead) pending = settlingBlocks;
    idleSeconds += blockTimeSeconds;
    if (pending === 0 && idleSeconds < IDLE_SECONDS) return;
    await rpc.call('evm_mine');
    ownHead = head + 1;
    idleSeconds = 0;
    pending = Math.max(0, pending - 1);
  };

  let running: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = running
      .then(beat)
      .catch(() => undefined) // the chain is stopping, or too busy: the next beat is soon
      .finally(() => (busy = false));
  }, blockTimeSeconds * 1000);

  return {
    hold(work) {
      // The state that the chain went back to may have a transaction in a block with the number of the last own one.
      const held = running.then(work).finally(() => (ownHead = -1));
      running = held.catch(() => undefined); // its caller receives the error
      return held;
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
