import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Design } from './designs';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** CPU time that it has used since it started, in µs. */
  cpuTime(): Promise<number>;
  stop(): void;
}

export async function startServer(design: Design): Promise<ServerProcess> {
  // Its request log goes where a container's would: to its standard output, and nobody reads it.
  const child = fork(path.join(__dirname, 'server.js'), [design], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    url: String(await messageOf(child, design)),
    async cpuTime() {
      const answer = messageOf(child, design);
      child.send('cpu time');
      return (await answer) as number;
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
