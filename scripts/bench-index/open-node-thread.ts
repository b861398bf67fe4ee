import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { NodeRequest } from './node-thread';

const stateSchema = z.object({ rpcUrl: z.string(), calls: z.number() });

/** A scripted chain whose node has a thread of its own, as the node of a deployment takes no time of the worker. */
export interface NodeThread {
  readonly rpcUrl: string;
  mine(blocks: number): Promise<void>;
  /** JSON-RPC calls since it was started. */
  countCalls(): Promise<number>;
  stop(): Promise<unknown>;
}

export async function openNodeThread(): Promise<NodeThread> {
  const worker = new Worker(path.join(__dirname, 'node-thread.js'));
  const request = async (message: NodeRequest): Promise<z.infer<typeof stateSchema>> => {
    worker.postMessage(message);
    const messages: readonly unknown[] = await once(worker, 'message');
    return stateSchema.parse(messages[0]);
  };
  const { rpcUrl } = await request({ blocks: 0 });
  return {
    rpcUrl,
    async mine(blocks) {
      await request({ blocks });
    },
    countCalls: async () => (await request({ blocks: 0 })).calls,
    stop: () => worker.terminate(),
  };
}
