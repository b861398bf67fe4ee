import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import type { RunningService } from '../setup/running-service';

/** A separate embedded service, which can be killed with SIGKILL and restarted on its remaining data. */
export interface KillableService {
  /** The service's description of itself; changes with every start. */
  readonly described: RunningService;
  /** Sends SIGKILL. Child processes of the service notice and end by themselves. */
  kill(): Promise<void>;
  /** Restarts the service immediately, and expires the leases of the killed process instead of waiting for them. */
  restart(): Promise<void>;
  query<Row>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Stops the service gracefully and removes its data. */
  end(): Promise<void>;
}

const SETTINGS = { PORT: '0', LOG_LEVEL: 'error', TRACKER_POLL_MS: '250', DELIVERY_POLL_MS: '250' };
const RUN = path.resolve(__dirname, '../../scripts/run.cjs');

/** Ends the leases of the killed process. They expire at most 30 s or 60 s after its death, new leases later. */
const ENDING_LEASES = [
  `UPDATE "ChainTracker" SET "leaseUntil" = now() WHERE "leaseUntil" <= $1::timestamptz + interval '30 seconds'`,
  `UPDATE "Delivery" SET "leasedUntil" = NULL, "nextPollAt" = now()
    WHERE phase = 'ACTIVE' AND coalesce("leasedUntil", "nextPollAt") <= $1::timestamptz + interval '60 seconds'`,
];

interface Started {
  readonly process: ChildProcess;
  readonly described: RunningService;
}

export async function startKillableService(): Promise<KillableService> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-killed-'));
  let running = await start(directory);
  let killedAt = new Date();
  return {
    get described() {
      return running.described;
    },
    async kill() {
      await ended(running.process, 'SIGKILL');
      killedAt = new Date();
    },
    async restart() {
      running = await start(directory);
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

async function start(directory: string): Promise<Started> {
  const child = spawn(process.execPath, [RUN, 'src/main'], {
    env: { ...process.env, ...SETTINGS, AFLUENTE_DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('is ready')) continue;
    child.stdout.resume();
    return { process: child, described: readJson(directory, 'embedded.json') as RunningService };
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
