import { Client } from 'pg';

/**
 * - `unreachable`: no response; a later attempt may succeed.
 * - `refused`: the server responds and rejects the login.
 * - `shared`: a pooler gives each transaction or statement any server connection.
 */
export type DatabaseProbe =
  | { readonly outcome: 'usable'; readonly reason?: undefined }
  | { readonly outcome: 'unreachable' | 'refused' | 'shared'; readonly reason: string };

const CONNECT_TIMEOUT_MS = 3000;
const QUERY_TIMEOUT_MS = 3000;
/** SQLSTATEs of a rejected login (28) and of a database that does not exist. */
const LOGIN_STATES = /^(?:28...|3D000)$/;
const POOL_CHECKS = 5;

/** The part of a connection that tells servers apart. */
export interface ProbedConnection {
  /** Process id of the server that the connection was opened with, as the peer states it. */
  readonly statedPid: number;
  /** Process id of the server that runs a statement now. */
  pid(): Promise<number>;
  /** Begins a transaction, which keeps its server until the connection ends. */
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Connects to a database and checks that its connections are sessions. */
export async function probeDatabase(url: string): Promise<DatabaseProbe> {
  try {
    const isShared = await sharesSessions(() => connect(url));
    return isShared ? { outcome: 'shared', reason: 'consecutive statements reached different servers' } : USABLE;
  } catch (error) {
    const { code = '', message } = error as Error & { readonly code?: string };
    return { outcome: LOGIN_STATES.test(code) ? 'refused' : 'unreachable', reason: message === '' ? code : message };
  }
}

const USABLE = { outcome: 'usable' } as const;

/**
 * True when a pooler shares one server between connections. A direct connection states the process id of its server, a
 * pooler an id of its own. Behind a pooler, a transaction on a second connection takes the server of the first one away
 * unless each connection keeps its server.
 */
export async function sharesSessions(connectTo: () => Promise<ProbedConnection>): Promise<boolean> {
  const first = await connectTo();
  try {
    const pid = await first.pid();
    if (pid === first.statedPid) return false;
    for (let check = 0; check < POOL_CHECKS; check += 1) {
      if (await losesServer({ first, pid }, connectTo)) return true;
    }
    return false;
  } finally {
    await first.end();
  }
}

async function losesServer(
  { first, pid }: { readonly first: ProbedConnection; readonly pid: number },
  connectTo: () => Promise<ProbedConnection>,
): Promise<boolean> {
  const second = await connectTo();
  try {
    if (!(await canBegin(second))) return true;
    return (await second.pid()) === pid || (await first.pid()) !== pid;
  } finally {
    await second.end();
  }
}

/** False when a pooler gives each statement any server connection: PgBouncer then refuses transactions. */
async function canBegin(connection: ProbedConnection): Promise<boolean> {
  try {
    await connection.begin();
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('statement pooling mode')) return false;
    throw error;
  }
}

async function connect(url: string): Promise<ProbedConnection> {
  const client = new Client({
    connectionString: url,
    application_name: 'afluente start',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // the running statement rejects
  await client.connect();
  return {
    statedPid: (client as Client & { readonly processID?: number }).processID ?? 0,
    async pid() {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      return rows[0]?.pid ?? 0;
    },
    async begin() {
      await client.query('BEGIN');
    },
    end: () => client.end(),
  };
}
