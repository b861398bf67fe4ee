import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { applyMigrations } from '../../src/persistence/apply-migrations';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/persistence/embedded/start-embedded-postgres';

declare global {
  var databaseUnderTest: { readonly server: EmbeddedPostgres; readonly directory: string } | undefined;
}

/** Starts the database server of the run, once, with a migrated template that test files copy. */
export default async function startDatabase(): Promise<void> {
  if (globalThis.databaseUnderTest !== undefined) return;
  const directory = path.join(tmpdir(), `afluente-database-${randomUUID()}`);
  const server = await startEmbeddedPostgres({ dataDirectory: directory });
  globalThis.databaseUnderTest = { server, directory };
  process.env['AFLUENTE_TEST_DATABASE'] = server.url;
  const client = new Client({ connectionString: server.url });
  await client.connect();
  // Nothing that the tests write has to survive the machine.
  await client.query('ALTER SYSTEM SET fsync = off');
  await client.query('SELECT pg_reload_conf()');
  await client.query('CREATE DATABASE migrated');
  await client.end();
  const migrated = new URL(server.url);
  migrated.pathname = '/migrated';
  await applyMigrations({ url: migrated.href, log: { info: () => undefined, warn: console.warn } });
}
