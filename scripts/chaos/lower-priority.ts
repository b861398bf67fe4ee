import { spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/**
 * Gives a process the lowest priority, for good; processes that it starts later inherit it. On Linux that applies to its main thread,
 * and `chrt` moves all threads to the scheduling class for idle time: a low priority alone delays others by milliseconds.
 */
export function lowerPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const { status } = spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
  if (status !== 0)
    console.error('Clients have a low priority, but not the class for idle time: chrt is missing or failed.');
}
