import { request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';

export interface Probe {
  /** Settings of the process to observe. */
  readonly settings: { readonly NODE_OPTIONS: string; readonly PROBE_SOCKET: string };
  /** Longest time that the event loop was blocked since the last call, in milliseconds. */
  blockedMs(): Promise<number>;
  /** Memory after a garbage collection, in bytes. */
  memory(): Promise<{ readonly rss: number; readonly heapUsed: number }>;
}

/** Observes the service process that is started with its settings. `directory`: where its socket is created. */
export function createProbe(directory: string): Probe {
  const socketPath = path.join(directory, 'probe.sock');
  const read = async (what: string): Promise<unknown> => {
    const response = await new Promise<Parameters<typeof text>[0]>((resolve, reject) => {
      request({ socketPath, path: `/${what}`, agent: false }, resolve)
        .once('error', reject)
        .end();
    });
    return JSON.parse(await text(response));
  };
  return {
    settings: { NODE_OPTIONS: `--require=${path.join(__dirname, 'probe.cjs')}`, PROBE_SOCKET: socketPath },
    blockedMs: async () => ((await read('blocked')) as { readonly blockedMs: number }).blockedMs,
    memory: async () => (await read('memory')) as Awaited<ReturnType<Probe['memory']>>,
  };
}
