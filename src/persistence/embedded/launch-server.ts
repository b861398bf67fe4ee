import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Binaries } from './binaries';
import { livePostmaster } from './postmaster';
import type { ServerUser } from './server-user';

const POLL_MS = 5;

/**
 * After a crash the server first writes the files of its cluster to the disk. One call for the whole file system, which only
 * Linux has, takes milliseconds; one call for each of a thousand files takes seconds where the disk is slow.
 */
const RECOVERY = process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : [];

/**
 * Runs the server and stops it when standard input ends, which also happens when its owner is killed. The server receives
 * SIGINT: it rolls back running transactions and disconnects all clients.
 */
const SIDECAR = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(read -r _ <&3; kill -INT "$server") &
watcher=$!
exec 3<&-
wait "$server"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

export interface LaunchOptions {
  readonly cluster: string;
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly port: number | undefined;
}

export interface Server {
  readonly port: number;
  /** Resolves when the server has written its data and exited. */
  stop(): Promise<void>;
}

export const logFileOf = (cluster: string): string => path.join(cluster, 'server.log');

/** A server that accepts connections; `undefined` when it exited because its port or cluster was in use. */
export async function launchServer({
  cluster,
  binaries,
  user,
  ...options
}: LaunchOptions): Promise<Server | undefined> {
  const port = options.port ?? (await freePort());
  const log = openSync(logFileOf(cluster), 'a', 0o600);
  const settings = ['listen_addresses=127.0.0.1', `port=${String(port)}`, 'unix_socket_directories=', ...RECOVERY];
  const command = [binaries.postgres, '-D', cluster, ...settings.flatMap((setting) => ['-c', setting])];
  const sidecar = spawn('/bin/sh', ['-c', SIDECAR, 'postgres-sidecar', ...command], {
    cwd: cluster,
    env: { LC_ALL: 'C' },
    stdio: ['pipe', log, log],
    // In its own session: Ctrl-C reaches only the owner, which stops the server later.
    detached: true,
    ...user,
  });
  closeSync(log);
  await once(sidecar, 'spawn');
  while (sidecar.exitCode === null) {
    const postmaster = livePostmaster(cluster);
    if (postmaster?.isReady === true && postmaster.port === port) return ownedServer(sidecar, port);
    await wait(POLL_MS);
  }
  return undefined;
}

function ownedServer(sidecar: ChildProcess, port: number): Server {
  // A pending start of the database must not keep the process alive.
  sidecar.unref();
  (sidecar.stdin as Socket).unref();
  return {
    port,
    async stop() {
      if (sidecar.exitCode !== null || sidecar.signalCode !== null) return;
      sidecar.ref();
      const exited = once(sidecar, 'exit');
      sidecar.stdin?.end();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
