import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { resolveWithin } from '../../src/async/resolve-within';
import { environmentWithoutFile } from '../../src/config/environment';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { SERVICE_FLAGS } from '../service-flags';
import { requireThat } from './chaos-failure';

const MAIN = path.join(PROJECT_ROOT, 'dist/src/main.js');
const CLOCK = path.join(__dirname, 'shifted-clock.cjs');
/** Longer than any start on a busy machine. */
const LIMIT_MS = 180_000;

export interface ServiceProcess {
  /** Base URL, once it is ready. */
  readonly url: string;
  readonly pid: number;
  /** Resolves to the first line of the output that contains the text, also an earlier line. */
  waitForLog(text: string): Promise<string>;
  /** Sends SIGTERM and resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Ends the process at once with SIGKILL. */
  kill(): Promise<void>;
}

export interface StartOptions {
  /** Error of the clock of the process, in milliseconds. */
  readonly clockMs?: number;
}

/** Starts the built service as a supervisor does, with these settings alone. */
export async function startService(settings: NodeJS.ProcessEnv, options: StartOptions = {}): Promise<ServiceProcess> {
  const { child, output, waitForLog, exited } = launch(settings, options);
  const ready = waitForLog('"msg":"ready"');
  const line = await Promise.race([ready, exited.then(() => undefined)]);
  requireThat(line !== undefined, `the service ended at its start:\n${output.join('\n')}`);
  const { url } = JSON.parse(line) as { readonly url: string };
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    return exited;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  const { pid } = child;
  requireThat(pid !== undefined, 'the service has no process id');
  return { url: url.replace(/\/graphql$/, ''), pid, waitForLog, stop, kill };
}

/** Starts a gateway with all subgraphs in its process, without workers. */
export const startGateway = (settings: NodeJS.ProcessEnv): Promise<ServiceProcess> =>
  startService({ ...settings, ROLE: 'gateway' });

/** Starts a service that must refuse to start. Returns its output. */
export async function startRefused(settings: NodeJS.ProcessEnv): Promise<string> {
  const { child, output, exited } = launch(settings, {});
  const code = await resolveWithin(exited, LIMIT_MS);
  child.kill('SIGKILL');
  requireThat(code === 1, `the service did not end with 1, but ${String(code)}:\n${output.join('\n')}`);
  return output.join('\n');
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

interface Launched {
  readonly child: ChildProcess;
  readonly output: readonly string[];
  readonly waitForLog: ServiceProcess['waitForLog'];
  readonly exited: Promise<number | null>;
}

function launch(settings: NodeJS.ProcessEnv, { clockMs }: StartOptions): Launched {
  const { PATH, HOME, AFLUENTE_ENV_FILE } = environmentWithoutFile();
  const clock = clockMs === undefined ? {} : { CHAOS_CLOCK_MS: String(clockMs) };
  const preload = clockMs === undefined ? [] : ['--require', CLOCK];
  const child = spawn(process.execPath, [...SERVICE_FLAGS, ...preload, MAIN], {
    env: { PATH, HOME, AFLUENTE_ENV_FILE, PORT: '0', ...settings, ...clock },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      output.push(line);
      for (const listener of listeners) listener();
    });
  }
  const exited = once(child, 'close').then(([code]: unknown[]) => code as number | null);
  children.add(child);
  child.once('close', () => children.delete(child));
  return { child, output, exited, waitForLog: waitForLine(output, listeners) };
}

const waitForLine =
  (output: readonly string[], listeners: Set<() => void>): ServiceProcess['waitForLog'] =>
  async (text) => {
    let check = (): void => undefined;
    const found = new Promise<string>((resolve) => {
      check = () => {
        const line = output.find((candidate) => candidate.includes(text));
        if (line !== undefined) resolve(line);
      };
    });
    listeners.add(check);
    check();
    const line = await resolveWithin(found, LIMIT_MS);
    listeners.delete(check);
    requireThat(line !== undefined, `the service did not log "${text}":\n${output.slice(-20).join('\n')}`);
    return line;
  };
