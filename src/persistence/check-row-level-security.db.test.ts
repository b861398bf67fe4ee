import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { newCustomer, sampleQuote } from '../../test/actions/sample-action';
import { applyMigrations } from './apply-migrations';
import { runForCaller, runForCustomer, runForService } from './customer-scope';
import { openDatabase, openScopedDatabase } from './database';
import { startEmbeddedPostgres } from './embedded/start-embedded-postgres';
import { rowLevelSecurityProblems, rowLevelSecurityWarnings } from './check-row-level-security';

const log = { info: () => undefined, warn: () => undefined };
const [own, foreign] = [newCustomer(), newCustomer()];

describe('a server whose owner of the tables is no superuser', () => {
  const directory = path.join(tmpdir(), `afluente-owner-${randomUUID()}`);
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  let admin: Client;
  beforeAll(async () => {
    server = await startEmbeddedPostgres({ dataDirectory: directory });
    admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`
      CREATE ROLE plain LOGIN PASSWORD 'x'; CREATE ROLE creator LOGIN CREATEROLE PASSWORD 'x'`);
    await admin.query('CREATE DATABASE of_plain OWNER plain');
    await admin.query('CREATE DATABASE of_creator OWNER creator');
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const urlIn = (database: string, user: string): string => {
    const url = new URL(server.url);
    [url.username, url.password, url.pathname] = [user, 'x', `/${database}`];
    return url.href;
  };
  const urlOf = (user: string): string => urlIn(`of_${user}`, user);

  it('names what an administrator has to run when the owner may not create roles', async () => {
    const migrated = applyMigrations({ url: urlOf('plain'), log });
    await expect(migrated).rejects.toThrow(
      /Run as an administrator: CREATE ROLE afluente_app NOLOGIN; CREATE ROLE afluente_worker NOLOGIN; GRANT afluente_app, afluente_worker TO plain;/,
    );
  });

  it('creates the roles when the owner may, shows requests one customer, and the owner all rows', async () => {
    await applyMigrations({ url: urlOf('creator'), log });
    await expectConfined(urlOf('creator'));
  });

  it('works with roles that an administrator has created, and shows an owner without them no rows', async () => {
    await admin.query('GRANT afluente_app, afluente_worker TO plain');
    await applyMigrations({ url: urlOf('plain'), log });
    await expectConfined(urlOf('plain'));
    await admin.query('REVOKE afluente_worker FROM plain');
    const opened = openDatabase({ url: urlOf('plain'), poolSize: 1, log });
    await expect(opened.database.quote.count()).resolves.toBe(0);
    await expect(rowLevelSecurityProblems(opened)).resolves.toEqual([expect.stringContaining('afluente_worker')]);
    await opened.close();
  });

  it('warns of a user that reads other databases of the server, because an administrator let it inherit', async () => {
    const opened = openDatabase({ url: urlOf('plain'), poolSize: 1, log });
    const elsewhere = openDatabase({ url: urlIn('of_creator', 'plain'), poolSize: 1, log });
    await expect(elsewhere.pool.query('SELECT 1 FROM "Quote"')).resolves.toMatchObject({ command: 'SELECT' });
    await expect(rowLevelSecurityWarnings(opened)).resolves.toEqual([
      expect.stringContaining('GRANT afluente_app TO "plain" WITH INHERIT FALSE'),
    ]);
    await admin.query('GRANT afluente_app TO "plain" WITH INHERIT FALSE');
    await expect(rowLevelSecurityWarnings(opened)).resolves.toEqual([]);
    await Promise.all([opened.close(), elsewhere.close()]);
  });

  it.each([
    ['of_plain', 'creator'],
    ['of_creator', 'plain'],
  ])('shows nothing in %s to %s, though it is a member of the same roles', async (database, user) => {
    const opened = openDatabase({ url: urlIn(database, user), poolSize: 1, log });
    await expect(opened.pool.query('SELECT 1 FROM "Quote"')).rejects.toMatchObject({ code: '42501' });
    await opened.close();
  });

  it('starts beside a copy of a table, which requests cannot read', async () => {
    const opened = openScopedDatabase({ url: urlOf('creator'), poolSize: 1, servicePoolSize: 1, log });
    await runForService('startUp', () => opened.pool.query('CREATE TABLE "Quote_copy" AS TABLE "Quote"'));
    await expect(rowLevelSecurityProblems(opened)).resolves.toEqual([]);
    await runForService('startUp', () => opened.pool.query('GRANT SELECT (view) ON "Quote_copy" TO afluente_app'));
    await expect(rowLevelSecurityProblems(opened)).resolves.toEqual([
      expect.stringContaining('missing for Quote_copy:'),
    ]);
    await runForService('startUp', () => opened.pool.query('DROP TABLE "Quote_copy"'));
    await opened.close();
  });

  it('refuses to start when the policies of a table are missing', async () => {
    const owner = new Client({ connectionString: urlOf('creator') });
    await owner.connect();
    await owner.query('DROP POLICY service ON "Quote"');
    const opened = openScopedDatabase({ url: urlOf('creator'), poolSize: 1, servicePoolSize: 1, log });
    await expect(rowLevelSecurityProblems(opened)).resolves.toEqual([expect.stringContaining('missing for Quote:')]);
    await owner.query('CREATE POLICY service ON "Quote" TO afluente_worker USING (true) WITH CHECK (true)');
    await expect(rowLevelSecurityProblems(opened)).resolves.toEqual([]);
    await opened.close();
    await owner.end();
  });

  it('refuses to start when the role of requests is exempt', async () => {
    await admin.query('ALTER ROLE afluente_app BYPASSRLS');
    const opened = openScopedDatabase({ url: urlOf('creator'), poolSize: 1, servicePoolSize: 1, log });
    await expect(rowLevelSecurityProblems(opened)).resolves.toEqual([expect.stringContaining('afluente_app')]);
    await opened.close();
    await admin.query('ALTER ROLE afluente_app NOBYPASSRLS');
  });

  async function expectConfined(url: string): Promise<void> {
    const opened = openScopedDatabase({ url, poolSize: 2, servicePoolSize: 1, log });
    await expect(rowLevelSecurityProblems(opened)).resolves.toEqual([]);
    for (const customerId of [own, foreign])
      await runForCustomer(customerId, () => sampleQuote(opened.database, customerId));
    const count = () => opened.database.quote.count();
    const counts = [
      await runForCustomer(own, count),
      await runForService('worker', count),
      await runForCaller(undefined, count),
    ];
    expect(counts).toEqual([1, 2, 0]);
    await opened.close();
  }
});
