import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Design } from './designs';

/** A server in its own process. */
export interface ServerProcess {
  readonly url: string;
  /** CPU time since its start, in µs. */
  cpuTime(): Promise<number>;
  stop(): void;
}

export async function startServer(design: Design): Promise<ServerProcess> {
  // Its request log goes to its standard output, like that of a container, and is discarded.
  const child = fork(path.join(__dirname, 'server.js'), [design], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    url: String(await messageOf(child, design)),
    async cpuTime() {
      const response = messageOf(child, design);
      child.send('cpu time');
      return (await response) as number;
    },
    stop: () => child.disconnect(),
  };
}

async function messageOf(child: ChildProcess, design: Design): Promise<unknown> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', { signal: ended.signal }).then(([message]: unknown[]) => message),
      once(child, 'exit', { signal: ended.signal }).then(() => {
        throw new InvariantError(`the server "${design}" has ended`);
      }),
    ]);
  } finally {
    ended.abort();
  }
}
