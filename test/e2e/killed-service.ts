import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { SERVICE_FLAGS } from '../../scripts/service-flags';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { NO_LOAD_SHEDDING } from '../setup/no-load-shedding';
import type { RunningService } from '../setup/running-service';

/** A separate embedded service, which can be killed with SIGKILL and restarted on its remaining data. */
export interface KillableService {
  /** The service's description of itself; changes with every start. */
  readonly described: RunningService;
  /** Its data directory. */
  readonly directory: string;
  /** What it has printed to standard error, and its exit code, when it ends by itself. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
  /** Sends SIGKILL. Child processes of the service notice and end by themselves. */
  kill(): Promise<void>;
  /** Restarts the service immediately, and expires the leases of the killed process instead of waiting for them. */
  restart(): Promise<void>;
  query<Row>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Stops the service gracefully and removes its data. */
  end(): Promise<void>;
}

const SETTINGS = {
  AFLUENTE_ENV_FILE: '',
  PORT: '0',
  LOG_LEVEL: 'error',
  TRACKER_POLL_MS: '250',
  DELIVERY_POLL_MS: '250',
};
const RUN = path.join(PROJECT_ROOT, 'scripts/run.cjs');

/** Ends the leases of the killed process. They expire at most 30 s or 60 s after its death, new leases later. */
const ENDING_LEASES = [
  `UPDATE "ChainTracker" SET "leaseUntil" = now() WHERE "leaseUntil" <= $1::timestamptz + interval '30 seconds'`,
  `UPDATE "Delivery" SET "leasedUntil" = NULL, "nextPollAt" = now()
    WHERE phase = 'ACTIVE' AND coalesce("leasedUntil", "nextPollAt") <= $1::timestamptz + interval '60 seconds'`,
];

interface Started {
  readonly process: ChildProcess;
  readonly described: RunningService;
  readonly ended: KillableService['ended'];
}

/** `settings` are environment variables of the service. */
export async function startKillableService(settings: NodeJS.ProcessEnv = {}): Promise<KillableService> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-killed-'));
  let running = await start(directory, settings);
  let killedAt = new Date();
  return {
    directory,
    get described() {
      return running.described;
    },
    get ended() {
      return running.ended;
    },
    async kill() {
      await ended(running.process, 'SIGKILL');
      killedAt = new Date();
    },
    async restart() {
      running = await start(directory, settings);
      for (const ending of ENDING_LEASES) await query(directory, ending, [killedAt]);
    },
    query: (sql, values) => query(directory, sql, values),
    async end() {
      if (running.process.exitCode === null && running.process.signalCode === null)
        await ended(running.process, 'SIGINT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function start(directory: string, settings: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn(process.execPath, [...SERVICE_FLAGS, RUN, 'src/main'], {
    env: { ...process.env, ...NO_LOAD_SHEDDING, ...SETTINGS, ...settings, AFLUENTE_DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
    process.stderr.write(chunk);
  });
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, errors }));
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('is ready')) continue;
    child.stdout.resume();
    return { process: child, described: readJson(directory, 'embedded.json') as RunningService, ended };
  }
  throw new Error('the service ended before it was ready');
}

async function ended(child: ChildProcess, signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

const readJson = (directory: string, file: string): unknown =>
  JSON.parse(readFileSync(path.join(directory, file), 'utf8'));

async function query<Row>(directory: string, sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
  const { DATABASE_URL } = readJson(directory, 'environment.json') as { readonly DATABASE_URL: string };
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows as Row[];
  } finally {
    await client.end();
  }
}
