import { readFileSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';

/** The user of the server when this process runs as root, since PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * `undefined` when the server can run as the user of this process.
 *
 * @throws EmbeddedPostgresError when this process runs as root and the machine has neither user `postgres` nor `nobody`
 */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  const user = userNamed('postgres', accounts) ?? userNamed('nobody', accounts);
  if (user !== undefined) return user;
  throw new EmbeddedPostgresError('PostgreSQL does not run as root. Create a system user "postgres"');
}

function userNamed(name: string, accounts: readonly string[]): ServerUser | undefined {
  const account = accounts.find((line) => line.startsWith(`${name}:`))?.split(':');
  const uid = Number.parseInt(account?.[2] ?? '', 10);
  const gid = Number.parseInt(account?.[3] ?? '', 10);
  return uid > 0 && gid > 0 ? { uid, gid } : undefined;
}

/** True when `user` can traverse every folder above `target`. */
export function canReach(user: ServerUser | undefined, target: string): boolean {
  if (user === undefined) return true;
  const { root } = path.parse(target);
  for (let folder = path.dirname(target); folder !== root; folder = path.dirname(folder)) {
    if (!permits(user, statSync(folder), 0o1)) return false;
  }
  const stats = statSync(target);
  return permits(user, stats, stats.isDirectory() ? 0o5 : 0o4);
}

function permits({ uid, gid }: ServerUser, { mode, ...owner }: Stats, bits: number): boolean {
  const shift = owner.uid === uid ? 6 : owner.gid === gid ? 3 : 0;
  return ((mode >> shift) & bits) === bits;
}
