import { fork } from 'node:child_process';
import path from 'node:path';
import { nextMessage } from '../next-message';
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
  const name = `the server "${design}"`;
  return {
    url: String(await nextMessage(child, name)),
    async cpuTime() {
      const response = nextMessage(child, name);
      child.send('cpu time');
      return (await response) as number;
    },
    stop: () => child.disconnect(),
  };
}
