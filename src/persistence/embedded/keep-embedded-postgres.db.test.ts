import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { processesNaming } from '../../../test/setup/processes';
import { takePort } from '../../../test/setup/take-port';
import { type KeptPostgres, keepEmbeddedPostgres } from './keep-embedded-postgres';

const directory = mkdtempSync(path.join(tmpdir(), 'afluente-kept-'));
chmodSync(directory, 0o755);
let server: KeptPostgres | undefined;
const lines: string[] = [];
const log = (line: string) => lines.push(line);

beforeEach(() => lines.splice(0));
afterEach(() => server?.stop());
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function query(statement: string): Promise<unknown> {
  const client = new Client({ connectionString: server!.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

async function queryWhenBack(statement: string): Promise<unknown> {
  for (;;) {
    const result = await query(statement).catch(() => undefined);
    if (result !== undefined) return result;
    await wait(50);
  }
}

/** Kills the server, if it runs. */
function killServer(): void {
  const cluster = realpathSync(path.join(directory, 'cluster'));
  for (const { pid, command } of processesNaming(`postgres -D ${cluster} `)) {
    if (!command.startsWith('/bin/sh')) process.kill(pid, 'SIGKILL');
  }
}

/** Kills the server and takes its port. */
const replaceServer = (): Promise<Server> => takePort(Number(new URL(server!.url).port), killServer);

describe('keepEmbeddedPostgres', () => {
  it('starts a killed server again at its URL, with every committed row', async () => {
    server = await keepEmbeddedPostgres({ dataDirectory: directory, log });
    await query('CREATE TABLE kept AS SELECT 42 AS answer');
    killServer();
    expect(await queryWhenBack('SELECT answer FROM kept')).toBe(42);
    while (lines.length < 2) await wait(20);
    expect(lines[0]).toContain('ended by itself and is starting again');
  });

  it('waits for its port while another program uses it', async () => {
    server = await keepEmbeddedPostgres({ dataDirectory: directory, log });
    const holder = await replaceServer();
    await wait(300);
    holder.close();
    expect(await queryWhenBack('SELECT 42')).toBe(42);
  });

  it('reports the failure when the server does not start again', async () => {
    server = await keepEmbeddedPostgres({ dataDirectory: directory, log, restartDeadlineMs: 0 });
    const holder = await replaceServer();
    const { message } = await server.failed;
    expect(message).toContain('The embedded database did not start');
    holder.close();
  });

  it('gives up a server that ends again and again', async () => {
    server = await keepEmbeddedPostgres({ dataDirectory: directory, log });
    let failure: Error | undefined;
    void server.failed.then((error) => (failure = error));
    while (failure === undefined) {
      if ((await query('SELECT 42').catch(() => undefined)) === 42) killServer();
      await wait(50);
    }
    expect(failure.message).toContain('more than 5 times in a minute');
    expect(lines.filter((line) => line.includes('runs again'))).toHaveLength(5);
  });

  it('stops while it is starting again', async () => {
    server = await keepEmbeddedPostgres({ dataDirectory: directory, log });
    const holder = await replaceServer();
    while (lines.length === 0) await wait(20);
    await server.stop();
    server = undefined;
    holder.close();
  });
});
