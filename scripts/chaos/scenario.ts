import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { runAdmin } from '../../src/admin/run-admin';
import { withDeployment } from '../../src/admin/with-deployment';
import { applyMigrations } from '../../src/persistence/apply-migrations';
import { startEmbeddedPostgres } from '../../src/persistence/embedded/start-embedded-postgres';
import { requireThat } from './chaos-failure';

/** What the scenarios share: a database with one customer, and the settings that reach it. */
export interface ScenarioSetup {
  readonly settings: NodeJS.ProcessEnv & { readonly DATABASE_URL: string };
  readonly apiKey: string;
  /** Creates a customer, with limits such as `--per-minute 9`. Returns a key of it. */
  createCustomer(name: string, ...limits: readonly string[]): Promise<string>;
  /** For temporary files. */
  readonly directory: string;
  readonly server: DatabaseServer;
  close(): Promise<void>;
}

/** The server of the database. */
export interface DatabaseServer {
  /** Ends it at once with SIGKILL. */
  kill(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Resolves when it accepts connections again, on its port. */
  start(): Promise<void>;
}

/** One kind of trouble. */
export interface Scenario {
  readonly name: string;
  /**
   * Makes the trouble, as often as `counts` says in a scenario with counts. Resolves to what the operator reads or measures.
   *
   * @throws ChaosFailure
   */
  run(setup: ScenarioSetup, counts: readonly number[]): Promise<readonly string[]>;
}

export async function openScenarioSetup(): Promise<ScenarioSetup> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-chaos-'));
  const { url, ...server } = await startServer(path.join(directory, 'postgres'));
  const settings = {
    DATABASE_URL: url,
    API_KEY_PEPPER: 'ab'.repeat(32),
    INTERNAL_SECRET: 'cd'.repeat(32),
    SHUTDOWN_DRAIN_MS: '1000',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_HOUR: '10000000',
    RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: '1000000',
  };
  await applyMigrations({ url, log: { info: () => undefined, warn: () => undefined } });
  return {
    settings,
    directory,
    server,
    apiKey: await createCustomer(settings, 'chaos'),
    createCustomer: (name, ...limits) => createCustomer(settings, name, limits),
    async close() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startServer(dataDirectory: string): Promise<DatabaseServer & { readonly url: string }> {
  let server = await startEmbeddedPostgres({ dataDirectory });
  const { url } = server;
  const port = Number.parseInt(new URL(url).port, 10);
  return {
    url,
    async kill() {
      const pid = Number.parseInt(readFileSync(path.join(dataDirectory, 'cluster/postmaster.pid'), 'utf8'), 10);
      process.kill(pid, 'SIGKILL');
      await server.untilEnded(new AbortController().signal);
    },
    stop: () => server.stop(),
    async start() {
      server = await startEmbeddedPostgres({ dataDirectory, port });
    },
  };
}

async function createCustomer(
  settings: NodeJS.ProcessEnv,
  name: string,
  limits: readonly string[] = [],
): Promise<string> {
  await admin(settings, ['customer', 'create', '--name', name]);
  if (limits.length > 0) await admin(settings, ['customer', 'limit', name, ...limits]);
  return ((await admin(settings, ['key', 'create', name])) as { readonly key: string }).key;
}

async function admin(settings: NodeJS.ProcessEnv, args: readonly string[]): Promise<unknown> {
  const outcome = await runAdmin([...args, '--json'], (work) => withDeployment(settings, work));
  requireThat(outcome.exitCode === 0, `admin ${args.join(' ')}: ${outcome.output}${outcome.errors}`);
  return JSON.parse(outcome.output);
}

/** Holds all reads of actions until `release`, so that requests last. */
export async function holdActions({ settings }: ScenarioSetup): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE "Action" IN ACCESS EXCLUSIVE MODE');
  return {
    async release() {
      await client.query('COMMIT');
      await client.end();
    },
  };
}
