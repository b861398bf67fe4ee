import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** A running, starting or stopping server of a cluster, read from its `postmaster.pid`. */
export interface Postmaster {
  readonly port: number;
  readonly isReady: boolean;
}

/**
 * The live server of a cluster, if any. A stale `postmaster.pid`, whose process id now belongs to another program, is
 * removed, because PostgreSQL would not start beside it. It remains after a power failure or a replaced container.
 */
export function livePostmaster(cluster: string): Postmaster | undefined {
  const file = path.join(cluster, 'postmaster.pid');
  const lines = readLines(file);
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!(pid > 0) || !isAlive(pid)) return undefined;
  if (!isServerOf(cluster, pid)) {
    rmSync(file, { force: true });
    return undefined;
  }
  return { port: Number.parseInt(lines[3] ?? '', 10), isReady: lines[7]?.trim() === 'ready' };
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return []; // no server has run, or the last one has stopped
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Checks that the command line names the cluster; where it cannot be read, the process id is trusted. */
function isServerOf(cluster: string, pid: number): boolean {
  try {
    const commandLine = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').split('\0');
    return commandLine.includes(cluster) || commandLine[0] === '';
  } catch {
    return true;
  }
}
