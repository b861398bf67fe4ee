import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { livePostmaster } from './postmaster';
import { startEmbeddedPostgres } from './start-embedded-postgres';

const root = path.resolve(__dirname, '../../..');
const isRoot = process.getuid?.() === 0;

let parent: string;
let directory: string;

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'afluente-embedded-'));
  chmodSync(parent, 0o755);
  directory = path.join(parent, 'postgres');
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

async function query(connectionString: string, statement: string): Promise<unknown> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

const clusterOf = (dataDirectory: string) => realpathSync(path.join(dataDirectory, 'cluster'));

/** A process that starts a server on the directory and holds it. Resolves with the server's URL. */
async function startOwner(): Promise<{ owner: ChildProcess; url: string }> {
  const script = `
    require(${JSON.stringify(path.join(root, 'test/setup/typescript-hook.cjs'))});
    const { startEmbeddedPostgres } = require(${JSON.stringify(path.join(__dirname, 'start-embedded-postgres.ts'))});
    startEmbeddedPostgres({ dataDirectory: ${JSON.stringify(directory)} }).then(({ url }) => {
      console.log(url);
      setInterval(() => {}, 1000);
    });`;
  const owner = spawn(process.execPath, ['-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  return { owner, url: line.toString().trim() };
}

async function kill(owner: ChildProcess): Promise<void> {
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
}

describe('startEmbeddedPostgres', () => {
  it('keeps data across starts', async () => {
    const first = await startEmbeddedPostgres({ dataDirectory: directory });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    expect(livePostmaster(clusterOf(directory))).toBeUndefined();
    const second = await startEmbeddedPostgres({ dataDirectory: directory });
    expect(await query(second.url, 'SELECT answer FROM kept')).toBe(42);
    await second.stop();
  });

  it('serves only loopback, with a password', async () => {
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    expect(await query(server.url, 'SHOW listen_addresses')).toBe('127.0.0.1');
    expect(await query(server.url, 'SHOW unix_socket_directories')).toBe('');
    const stranger = new URL(server.url);
    stranger.password = 'postgres';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    await server.stop();
  });

  it('listens on the requested port', async () => {
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    await server.stop();
    const port = Number.parseInt(new URL(server.url).port, 10);
    const again = await startEmbeddedPostgres({ dataDirectory: directory, port });
    expect(new URL(again.url).port).toBe(String(port));
    await again.stop();
  });

  it('reports why it cannot start', async () => {
    const other = await startEmbeddedPostgres({ dataDirectory: path.join(parent, 'other') });
    const port = Number.parseInt(new URL(other.url).port, 10);
    await expect(startEmbeddedPostgres({ dataDirectory: directory, port })).rejects.toThrow('Address already in use');
    await other.stop();
  });

  it('starts one server for simultaneous first starts', async () => {
    const starts = [1, 2, 3].map(() => startEmbeddedPostgres({ dataDirectory: directory }));
    const [owner, ...servers] = await Promise.all([startOwner(), ...starts]);
    expect(new Set([owner.url, ...servers.map(({ url }) => url)]).size).toBe(1);
    expect(await query(owner.url, 'SELECT 1')).toBe(1);
    await Promise.all(servers.map((server) => server.stop()));
    await kill(owner.owner);
  });

  it('uses a server that already runs, and leaves it running', async () => {
    const { owner, url } = await startOwner();
    const guest = await startEmbeddedPostgres({ dataDirectory: directory });
    expect(guest.url).toBe(url);
    await guest.stop();
    expect(await query(url, 'SELECT 1')).toBe(1);
    await kill(owner);
  });

  it('leaves no server behind when its owner is killed, and loses no data', async () => {
    const { owner, url } = await startOwner();
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await kill(owner);
    const deadline = Date.now() + 90_000;
    while (livePostmaster(clusterOf(directory)) !== undefined && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(livePostmaster(clusterOf(directory))).toBeUndefined();
    const next = await startEmbeddedPostgres({ dataDirectory: directory });
    expect(await query(next.url, 'SELECT answer FROM kept')).toBe(42);
    await next.stop();
  });

  it('waits for a server that is stopping', async () => {
    const first = await startEmbeddedPostgres({ dataDirectory: directory });
    const [, second] = await Promise.all([first.stop(), startEmbeddedPostgres({ dataDirectory: directory })]);
    expect(await query(second.url, 'SELECT 1')).toBe(1);
    await second.stop();
  });

  it('starts when the process id of the last server now belongs to another program', async () => {
    const first = await startEmbeddedPostgres({ dataDirectory: directory });
    const file = path.join(clusterOf(directory), 'postmaster.pid');
    const lines = readFileSync(file, 'utf8').split('\n');
    await first.stop();
    writeFileSync(file, [String(process.pid), ...lines.slice(1)].join('\n'));
    const second = await startEmbeddedPostgres({ dataDirectory: directory });
    expect(await query(second.url, 'SELECT 1')).toBe(1);
    await second.stop();
  });

  (isRoot ? it : it.skip)("keeps the files elsewhere when the server's user cannot reach the directory", async () => {
    chmodSync(parent, 0o700);
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    const cluster = clusterOf(directory);
    expect(cluster.startsWith(parent)).toBe(false);
    expect(await query(server.url, 'SELECT 1')).toBe(1);
    await server.stop();
    rmSync(cluster, { recursive: true });
  });

  it('starts over when an interrupted creation or a deletion left no complete cluster', async () => {
    const first = await startEmbeddedPostgres({ dataDirectory: directory });
    await first.stop();
    rmSync(clusterOf(directory), { recursive: true });
    mkdirSync(path.join(directory, 'cluster-interrupted'));
    const second = await startEmbeddedPostgres({ dataDirectory: directory });
    expect(await query(second.url, 'SELECT 1')).toBe(1);
    await second.stop();
  });
});
