import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Ends the server of a port and takes the port, so that the server cannot start again. Ends every connection at once. */
export async function takePort(port: number, endServer: () => void): Promise<Server> {
  for (;;) {
    endServer();
    const holder = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
    try {
      await once(holder, 'listening');
      return holder;
    } catch {
      await wait(20); // the server is still ending, or runs again
    }
  }
}
