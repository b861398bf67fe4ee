import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { DevnetError } from './devnet-error';

/**
 * `wanted`, or any free port of the loopback interface.
 *
 * @throws DevnetError when the wanted port is taken.
 */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer();
  server.listen(wanted, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new DevnetError(`port ${String(wanted)} is taken`, { cause });
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
