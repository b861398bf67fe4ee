import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';

/** Settings of a process that reads the chain of a node into a database. */
export interface LedgerProcessSettings {
  readonly databaseUrl: string;
  readonly rpcUrl: string;
  readonly replicaId: string;
}

export interface LedgerProcess {
  readonly replicaId: string;
  /** Ends the process at once with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts the ledger of the scripted chain in a process of its own. Resolves when it reads. `onLog` receives the messages of its log. */
export async function startLedgerProcess(
  settings: Omit<LedgerProcessSettings, 'replicaId'>,
  onLog: (message: string) => void,
): Promise<LedgerProcess> {
  const child = fork(path.join(__dirname, 'ledger.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const own: LedgerProcessSettings = { ...settings, replicaId: randomUUID() };
  child.send(own);
  await once(child, 'message');
  child.on('message', (message) => onLog(typeof message === 'string' ? message : ''));
  return { replicaId: own.replicaId, kill: () => killed(child) };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
