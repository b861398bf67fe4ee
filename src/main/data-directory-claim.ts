import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartupError } from './startup-error';

/**
 * Claims a data directory for this process; the returned function releases it.
 *
 * @throws StartupError while another live process has claimed it
 */
export function claimDataDirectory(directory: string): () => void {
  assertUnclaimed(directory);
  mkdirSync(directory, { recursive: true });
  const file = claimFile(directory);
  writeFileSync(file, String(process.pid));
  return () => rmSync(file, { force: true });
}

/** Fails before anything is started. @throws StartupError while another live process has claimed the directory */
export function assertUnclaimed(directory: string): void {
  const holder = serviceOf(directory);
  if (holder === undefined) return;
  throw new StartupError(
    `${directory} is in use by the service with process id ${String(holder)}. ` +
      'Stop it, or choose another directory with AFLUENTE_DATA_DIR and another port with PORT.',
  );
}

const claimFile = (directory: string): string => path.join(directory, 'service.pid');

/** Process id of the live service that has claimed a data directory. */
export const serviceOf = (directory: string): number | undefined => holderOf(claimFile(directory));

function holderOf(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    if (!(pid > 0) || pid === process.pid) return undefined;
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined; // no file, or a process that is gone
  }
}
