import { existsSync } from 'node:fs';
import path from 'node:path';
import { InvariantError } from '../errors/invariant-error';

/** Folder of package.json, for the sources and for `dist`. */
export const PROJECT_ROOT = findUpwards(__dirname);

function findUpwards(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new InvariantError('the files of the project are not below a package.json');
  return findUpwards(parent);
}
