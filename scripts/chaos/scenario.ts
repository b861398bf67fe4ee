import { mkdtempSync, rmSync } from 'node:fs';
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
  close(): Promise<void>;
}

/** One kind of trouble. */
export interface Scenario {
  readonly name: string;
  /** Makes the trouble. Resolves to what the operator reads or measures. @throws ChaosFailure */
  run(setup: ScenarioSetup): Promise<readonly string[]>;
}

export async function openScenarioSetup(): Promise<ScenarioSetup> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-chaos-'));
  const server = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
  const settings = {
    DATABASE_URL: server.url,
    API_KEY_PEPPER: 'ab'.repeat(32),
    INTERNAL_SECRET: 'cd'.repeat(32),
    SHUTDOWN_DRAIN_MS: '1000',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_HOUR: '10000000',
    RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: '1000000',
  };
  await applyMigrations({ url: server.url, log: { info: () => undefined, warn: () => undefined } });
  return {
    settings,
    directory,
    apiKey: await createCustomer(settings, 'chaos'),
    createCustomer: (name, ...limits) => createCustomer(settings, name, limits),
    async close() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
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
