import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { sleep } from '../../async/sleep';
import { prepareBinaries } from './binaries';
import { type Cluster, DATABASE_OWNER, openCluster } from './cluster';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { launchServer, logFileOf, type LaunchOptions, type Server } from './launch-server';
import { livePostmaster } from './postmaster';
import { serverUser } from './server-user';

const DEADLINE_MS = 60_000;
const ATTEMPTS = 4;
const POLL_MS = 10;
/** Interval at which a running server is checked. */
const WATCH_MS = 200;
/** Maximum time in which a server notices the end of its owner. */
const OWNER_EXIT_MS = 50;
/** Folder for processes of root, when the server's user has no access to the data directory. */
const ROOT_DIRECTORY = '/var/lib/afluente';

export interface EmbeddedPostgresOptions {
  /** Created when missing. The databases persist across starts. */
  readonly dataDirectory: string;
  /** A free port by default. A server that already runs keeps its port. */
  readonly port?: number;
}

export interface EmbeddedPostgres {
  readonly url: string;
  /** Resolves when the server has ended, or the signal aborts. */
  untilEnded(signal: AbortSignal): Promise<void>;
  /** Stops the server if this call started it. A server that was already running is left running. */
  stop(): Promise<void>;
}

/**
 * A PostgreSQL server on loopback for development and tests: the one that runs on the directory, else a new one,
 * which ends with this process at the latest, even when that is killed.
 *
 * @throws EmbeddedPostgresError when the server cannot run on this machine
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDirectory, port } = options;
  const user = serverUser();
  const reachableDirectory = user === undefined ? path.resolve(dataDirectory) : ROOT_DIRECTORY;
  const binaries = prepareBinaries(user, reachableDirectory);
  const place = { dataDirectory: path.resolve(dataDirectory), user, reachableDirectory };
  const cluster = await openCluster(place, binaries);
  return joinOrLaunch(cluster, { cluster: cluster.directory, binaries, user, port });
}

async function joinOrLaunch(cluster: Cluster, launch: LaunchOptions): Promise<EmbeddedPostgres> {
  const deadline = Date.now() + DEADLINE_MS;
  let attempts = 0;
  while (Date.now() < deadline && attempts < ATTEMPTS) {
    const postmaster = livePostmaster(cluster.directory);
    if (postmaster === undefined) {
      attempts += 1;
      const server = await launchServer(launch);
      if (server !== undefined) return serverOn(cluster, { port: server.port, stop: () => server.stop() });
    } else if (postmaster.isReady && (await stays(urlOf(cluster, postmaster.port)))) {
      return serverOn(cluster, { port: postmaster.port, stop: () => Promise.resolve() });
    }
    await wait(POLL_MS); // a server is starting or stopping
  }
  const lastLines = readFileSync(logFileOf(cluster.directory), 'utf8').trimEnd().split('\n').slice(-5).join('\n  ');
  throw new EmbeddedPostgresError(`The embedded database did not start. The end of its log:\n  ${lastLines}`);
}

const serverOn = (cluster: Cluster, server: Server): EmbeddedPostgres => ({
  url: urlOf(cluster, server.port),
  stop: () => server.stop(),
  async untilEnded(signal) {
    while (!signal.aborted && livePostmaster(cluster.directory) !== undefined) await sleep(WATCH_MS, signal);
  },
});

const urlOf = ({ password }: Cluster, port: number): string =>
  `postgresql://${DATABASE_OWNER}:${password}@127.0.0.1:${String(port)}/postgres`;

/** True when the server accepts a connection and keeps running, which it does not after the end of its owner. */
async function stays(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined); // the query below rejects
  try {
    await client.connect();
    await wait(OWNER_EXIT_MS);
    await client.query('SELECT 1');
    await client.end();
    return true;
  } catch {
    return false;
  }
}
