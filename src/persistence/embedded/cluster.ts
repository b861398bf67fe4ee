import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries';
import { livePostmaster } from './postmaster';
import { canReach, type ServerUser } from './server-user';

export const DATABASE_OWNER = 'afluente';
const PASSWORD_FILE = 'afluente.password';
const LINK_FILE = 'afluente.link';
const ORPHAN_AGE_MS = 60_000;

/** The files of one PostgreSQL server. */
export interface Cluster {
  /** Real path, accessible to the server's user. */
  readonly directory: string;
  readonly password: string;
}

export interface ClusterPlace {
  readonly dataDirectory: string;
  readonly user: ServerUser | undefined;
  /** Folder of the files when `user` has no access to `dataDirectory`, for example below root's home. */
  readonly reachableDirectory: string;
}

/**
 * The cluster that `cluster` in the data directory links to. Creates it when it is missing.
 *
 * The link is created last and atomically: two processes that start at once use the same cluster, and a process that dies
 * before it leaves no incomplete cluster behind the link.
 */
export async function openCluster(place: ClusterPlace, binaries: Binaries): Promise<Cluster> {
  mkdirSync(place.dataDirectory, { recursive: true });
  const link = path.join(realpathSync(place.dataDirectory), 'cluster');
  if (!existsSync(link)) await createCluster({ ...place, link }, binaries);
  const directory = realpathSync(link);
  return { directory, password: readFileSync(path.join(directory, PASSWORD_FILE), 'utf8') };
}

async function createCluster(place: ClusterPlace & { readonly link: string }, binaries: Binaries): Promise<void> {
  const home = canReach(place.user, path.dirname(place.link)) ? path.dirname(place.link) : place.reachableDirectory;
  mkdirSync(home, { recursive: true });
  removeOrphans(home);
  if (lstatSync(place.link, { throwIfNoEntry: false }) !== undefined) rmSync(place.link); // its cluster was deleted
  const directory = path.join(home, `cluster-${randomUUID()}`);
  mkdirSync(directory, { mode: 0o700 });
  give(directory, place.user);
  await initialise({ directory, user: place.user, binaries });
  writeFileSync(path.join(directory, LINK_FILE), place.link);
  try {
    symlinkSync(path.relative(path.dirname(place.link), directory), place.link);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

interface NewCluster {
  readonly directory: string;
  readonly user: ServerUser | undefined;
  readonly binaries: Binaries;
}

async function initialise({ directory, user, binaries }: NewCluster): Promise<void> {
  const passwordFile = `${directory}.password`;
  writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
  give(passwordFile, user);
  const options = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', '--no-sync', '--no-instructions'];
  const names = [`--username=${DATABASE_OWNER}`, `--pwfile=${passwordFile}`, `--pgdata=${directory}`];
  await promisify(execFile)(binaries.initdb, [...options, ...names], { cwd: directory, env: { LC_ALL: 'C' }, ...user });
  renameSync(passwordFile, path.join(directory, PASSWORD_FILE));
}

function give(item: string, user: ServerUser | undefined): void {
  if (user === undefined) return;
  chownSync(item, user.uid, user.gid);
  if (statSync(item).isDirectory()) chmodSync(item, 0o700);
}

/** Removes clusters without a link: their data directory was deleted or their creation was interrupted. */
function removeOrphans(home: string): void {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith('cluster-'))) {
    const item = path.join(home, name);
    const isOld = Date.now() - statSync(item).ctimeMs > ORPHAN_AGE_MS;
    if (isOld && !isLinked(item) && livePostmaster(item) === undefined) rmSync(item, { recursive: true, force: true });
  }
}

function isLinked(cluster: string): boolean {
  try {
    const link = readFileSync(path.join(cluster, LINK_FILE), 'utf8');
    return path.resolve(path.dirname(link), readlinkSync(link)) === cluster;
  } catch {
    return false;
  }
}
