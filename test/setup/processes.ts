import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  /** The program and its arguments, separated by spaces. */
  readonly command: string;
}

/** All processes whose command line contains a text, for example a test's directory. */
export function processesNaming(text: string): readonly RunningProcess[] {
  const all = existsSync('/proc/self/cmdline') ? readProcesses() : listProcesses();
  return all.filter(({ command }) => command.includes(text));
}

/** Whether a process is stopped by a signal, and runs again after SIGCONT. */
export function isSuspended(pid: number): boolean {
  const state = existsSync('/proc/self/stat')
    ? readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .split(') ')
        .at(-1)!
    : execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return state.trim().startsWith('T');
}

const readProcesses = (): RunningProcess[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^[0-9]+$/.test(name)) return [];
    try {
      return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return []; // gone meanwhile
    }
  });

const listProcesses = (): RunningProcess[] =>
  execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim())
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.slice(line.indexOf(' ') + 1) }));
