import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { SERVICE_FLAGS } from '../../scripts/service-flags';
import { LONG_DATABASE_TIMEOUT, NO_LOAD_SHEDDING } from '../setup/no-load-shedding';
import type { RunningService } from '../setup/running-service';

/** A separate embedded service with a debug log. Tests can read its log, database and files. */
export interface ObservedService {
  readonly described: RunningService;
  /** The log, at debug level. */
  readonly log: () => string;
  /** Every row of every table by `schema.table`, including the job queue. Bytes are also shown as text. */
  dump(): Promise<ReadonlyMap<string, string>>;
  /** Every file of the database, including its log. One character for each byte. */
  databaseFiles(): ReadonlyMap<string, string>;
  /** The file of an emulator, with the requests that it received. */
  emulatorFile(emulator: 'primary-ramp' | 'secondary-ramp'): string;
  stop(): Promise<void>;
}

const RUN = path.resolve(__dirname, '../../scripts/run.cjs');
const SETTINGS = { AFLUENTE_ENV_FILE: '', PORT: '0', LOG_LEVEL: 'debug' };

export async function startObservedService(): Promise<ObservedService> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-observed-'));
  const child = spawn(process.execPath, [...SERVICE_FLAGS, RUN, 'src/main'], {
    env: { ...process.env, ...NO_LOAD_SHEDDING, ...LONG_DATABASE_TIMEOUT, ...SETTINGS, AFLUENTE_DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => chunks.push(data.toString()));
  const log = () => chunks.join('');
  await ready(child, log);
  const file = (name: string): string => readFileSync(path.join(directory, name), 'utf8');
  const { DATABASE_URL } = JSON.parse(file('environment.json')) as { readonly DATABASE_URL: string };
  return {
    described: JSON.parse(file('embedded.json')) as RunningService,
    log,
    dump: () => dumpOf(DATABASE_URL),
    databaseFiles: () => filesBelow(path.join(directory, 'postgres')),
    emulatorFile: (emulator) => file(`${emulator}.json`),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGINT');
        await exited;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function ready(child: ChildProcess, log: () => string): Promise<void> {
  while (!log().includes('is ready')) {
    if (child.exitCode !== null) throw new Error(`the service ended before it was ready: ${log()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function dumpOf(connectionString: string): Promise<ReadonlyMap<string, string>> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
    const dumps = new Map<string, string>();
    for (const { name } of rows) {
      const table = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
      dumps.set(name, table.rows.flatMap((row) => Object.values(row).map(textOf)).join('\n'));
    }
    return dumps;
  } finally {
    await client.end();
  }
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `${value.toString('utf8')}\n${value.toString('latin1')}\n${value.toString('hex')}`;
  return typeof value === 'string' ? value : JSON.stringify(value, numbersAsText);
}

const numbersAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

function filesBelow(directory: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(directory, name);
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    const text = isFile ? readIfPresent(file) : undefined;
    if (text !== undefined) files.set(name, text);
  }
  return files;
}

/** A running database adds and removes files, at any time. */
function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
