import { readFileSync } from 'node:fs';

const CHECK_MS = 500;

/**
 * Calls `onGone` once the npm that ran this process has died. Without npm above there is nothing to watch.
 *
 * Killing npm with SIGKILL tells its children nothing; without this they would go on as orphans.
 */
export function watchNpm(onGone: () => void): void {
  const ancestors = ancestorsOf(process.pid);
  const npm = ancestors.findIndex((pid) => commandOf(pid).startsWith('npm '));
  // npm runs a script through at most one shell: one further up has nothing to do with us.
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
  // "pid (command) state ppid …": the command may hold spaces and brackets, so read behind the last one.
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
