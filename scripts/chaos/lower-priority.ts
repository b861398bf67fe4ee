import { spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/**
 * Gives a process the lowest priority, for good; processes that it starts later inherit it. On Linux it also gets the scheduling
 * class for idle time, if there is `chrt`: a low priority alone delays others by milliseconds.
 */
export function lowerPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const { status } = spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
  if (status !== 0)
    console.error('Clients have a low priority, but not the class for idle time: chrt is missing or failed.');
}
