import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** A server that runs, starts or stops on a cluster, as its `postmaster.pid` tells. */
export interface Postmaster {
  readonly port: number;
  readonly isReady: boolean;
}

/**
 * The live server of a cluster, if there is one. A `postmaster.pid` whose process id now belongs to another program
 * (the machine was switched off, or the container replaced) is removed, because PostgreSQL would respect it.
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

/** Told by the command line, which names the cluster; where that cannot be read, the process id is believed. */
function isServerOf(cluster: string, pid: number): boolean {
  try {
    const commandLine = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').split('\0');
    return commandLine.includes(cluster) || commandLine[0] === '';
  } catch {
    return true;
  }
}
