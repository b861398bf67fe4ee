import { readFileSync } from 'node:fs';

const CHECK_MS = 500;

/**
 * Calls `onGone` when the npm process that started this process has died. Does nothing without such a process.
 *
 * npm cannot end its children when it is killed with SIGKILL; without this watch they would continue as orphans.
 */
export function watchNpm(onGone: () => void): void {
  const ancestors = ancestorsOf(process.pid);
  const npm = ancestors.findIndex((pid) => commandOf(pid).startsWith('npm '));
  // npm runs a script through at most one shell: an npm further up did not start this process.
  if (npm < 0 || npm > 1) return;
  const owners = ancestors.slice(0, npm + 1);
  const timer = setInterval(() => {
    if (owners.every(isAlive)) return;
    clearInterval(timer);
    onGone();
  }, CHECK_MS);
  timer.unref();
}

function ancestorsOf(pid: number): readonly number[] {
  const parent = pid === process.pid ? process.ppid : parentOf(pid);
  return parent === undefined || parent <= 1 ? [] : [parent, ...ancestorsOf(parent)];
}

function parentOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  // "pid (command) state ppid …": the command may contain spaces and brackets, hence the last bracket.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[1] === undefined ? undefined : Number.parseInt(fields[1], 10);
}

const commandOf = (pid: number): string => readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? '';

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return undefined; // not Linux, or gone
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
