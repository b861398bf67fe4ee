import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const CHECK_MS = 100;

/** A load balancer: gives each new connection to one of the backends whose readiness is 200. */
export interface TcpProxy {
  readonly url: string;
  add(url: string): void;
  remove(url: string): void;
  /** Resolves when the backend gets connections. */
  ready(url: string): Promise<void>;
  close(): void;
}

export async function startTcpProxy(): Promise<TcpProxy> {
  const backends = new Map<string, boolean>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const ready = [...backends].filter(([, isReady]) => isReady).map(([url]) => new URL(url));
    const backend = ready[(turn += 1) % Math.max(1, ready.length)];
    if (backend === undefined) return void client.destroy();
    const upstream = connect({ host: backend.hostname, port: Number.parseInt(backend.port, 10) });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from));
      from.pipe(to);
    }
  });
  const check = async (url: string): Promise<void> => {
    const isReady = await fetch(`${url}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (backends.has(url)) backends.set(url, isReady);
  };
  const timer = setInterval(() => void Promise.all([...backends.keys()].map(check)), CHECK_MS);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    add: (url) => void backends.set(url, false),
    remove: (url) => void backends.delete(url),
    async ready(url) {
      while (backends.get(url) !== true) await new Promise((resolve) => setTimeout(resolve, CHECK_MS / 2));
    },
    close() {
      clearInterval(timer);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
