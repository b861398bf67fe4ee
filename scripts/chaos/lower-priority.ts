import { spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/**
 * Gives a process the lowest priority. It represents clients on other machines, and must not take the processors from the
 * service. Where there is `chrt`, as on Linux, it gets only what no other process uses: a low priority alone delays others
 * by milliseconds.
 */
export function lowerPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
}
