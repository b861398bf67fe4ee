import { existsSync } from 'node:fs';
import path from 'node:path';
import { DevnetError } from './devnet-error';

/** Directory of the project's `package.json`: the code runs from the sources in tests and from `dist/` otherwise. */
export function projectRoot(): string {
  for (let directory = __dirname; ; directory = path.dirname(directory)) {
    if (existsSync(path.join(directory, 'package.json'))) return directory;
    if (directory === path.dirname(directory)) throw new DevnetError(`no package.json above ${__dirname}`);
  }
}
