import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { canReach, type ServerUser } from './server-user';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const manifestSchema = z.object({ version: z.string() });

/**
 * The programs of PostgreSQL, complete and readable for `user`: the installed package, or a copy in `copyDirectory` that is
 * made once per version.
 *
 * @throws EmbeddedPostgresError when the packages with the programs are missing or do not support this platform
 */
export function prepareBinaries(user: ServerUser | undefined, copyDirectory: string): Binaries {
  const installed = locatePackage();
  if (isReadable(user, installed) && hasLinks(installed)) return binariesOf(installed);
  const { version } = manifestSchema.parse(readJson(path.join(installed, 'package.json')));
  const copy = path.join(copyDirectory, `postgresql-${version}`);
  if (!existsSync(copy)) copyPackage(installed, copy);
  return binariesOf(copy);
}

const binariesOf = (folder: string): Binaries => ({
  initdb: path.join(folder, 'native/bin/initdb'),
  postgres: path.join(folder, 'native/bin/postgres'),
});

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

function locatePackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!['linux', 'darwin'].includes(process.platform)) {
    throw new EmbeddedPostgresError(
      `The embedded database does not run on ${platform}. Set DATABASE_URL to use a database of your own`,
    );
  }
  try {
    const wrapper = createRequire(__filename).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
    return path.dirname(path.dirname(entry));
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded database is a development package that is not installed for ${platform}: ` +
        'set DATABASE_URL, or install the development packages',
    );
  }
}

const isReadable = (user: ServerUser | undefined, folder: string): boolean =>
  ['native/bin/postgres', 'native/lib', 'native/share', 'native/pg-symlinks.json'].every((item) =>
    canReach(user, path.join(folder, item)),
  );

/** Creates the links between the libraries, which an installation without scripts lacks. False without permission. */
function hasLinks(folder: string): boolean {
  for (const { source, target } of linksSchema.parse(readJson(path.join(folder, 'native/pg-symlinks.json')))) {
    const link = path.join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

function copyPackage(from: string, to: string): void {
  const unfinished = `${to}.${randomUUID()}`;
  cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true });
  openToEveryone(unfinished);
  hasLinks(unfinished);
  try {
    renameSync(unfinished, to);
  } catch {
    rmSync(unfinished, { recursive: true, force: true }); // another process was first
  }
}

function openToEveryone(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const item = path.join(folder, entry.name);
    if (entry.isDirectory()) openToEveryone(item);
    else if (entry.isFile()) chmodSync(item, (statSync(item).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
