import { accessSync, chmodSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { DevnetError } from './devnet-error';
import { projectRoot } from './project-root';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Path of the anvil executable of this platform. Started directly: the package's shim would keep a node process
 * around each chain.
 *
 * @throws DevnetError when the platform has no build or its optional package is not installed.
 */
export function anvilBinary(): string {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined || !['linux', 'darwin'].includes(process.platform)) {
    throw new DevnetError(`the local chains have no build for ${process.platform}-${process.arch}`);
  }
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  const executable = path.join(packageDirectory(name), 'bin', 'anvil');
  makeExecutable(executable);
  return executable;
}

function packageDirectory(name: string): string {
  try {
    return path.dirname(createRequire(path.join(projectRoot(), 'package.json')).resolve(`${name}/package.json`));
  } catch (cause) {
    throw new DevnetError(`${name} is not installed: run npm install (without --omit=dev or --omit=optional)`, {
      cause,
    });
  }
}

/** An install without lifecycle scripts leaves the binary without its executable bit. */
function makeExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    chmodSync(file, 0o755);
  }
}
