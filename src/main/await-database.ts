import type { Logger } from 'pino';
import { sleep } from '../async/sleep';
import { type DatabaseProbe, probeDatabase } from '../persistence/probe-database';
import { StartupError } from './startup-error';

const DEADLINE_MS = 15_000;
const RETRY_MS = 500;

export interface AwaitDatabaseOptions {
  readonly url: string;
  readonly log: Pick<Logger, 'warn'>;
  readonly probe?: (url: string) => Promise<DatabaseProbe>;
  /** Time that a database may need to start. */
  readonly deadlineMs?: number;
}

/**
 * Resolves when the database of DATABASE_URL can be used. A database that starts at the same time as this process may take
 * some seconds.
 *
 * @throws StartupError when it cannot be reached within the deadline, refuses the login, or is behind a pooler that shares
 * sessions
 */
export async function awaitDatabase({ url, log, ...options }: AwaitDatabaseOptions): Promise<void> {
  const { probe = probeDatabase, deadlineMs = DEADLINE_MS } = options;
  const endsAt = performance.now() + deadlineMs;
  for (let attempts = 0; ; attempts += 1) {
    const { outcome, reason } = await probe(url);
    if (outcome === 'usable') return;
    if (outcome !== 'unreachable' || performance.now() > endsAt) throw startupError(url, { outcome, reason });
    const waited = { database: placeOf(url), reason, seconds: deadlineMs / 1000 };
    if (attempts === 0)
      log.warn(waited, 'the database of DATABASE_URL does not respond; trying again for some seconds');
    await sleep(RETRY_MS);
  }
}

type Refusal = Extract<DatabaseProbe, { readonly reason: string }>['outcome'];

const ADVICE: Readonly<Record<Refusal, string>> = {
  unreachable: 'does not respond. Start PostgreSQL, or correct host and port in DATABASE_URL',
  refused: 'refuses the login. Correct user, password and database name in DATABASE_URL',
  shared:
    'is a connection pooler in transaction or statement mode. The service needs sessions of its own, for notifications and locks. ' +
    'Let DATABASE_URL lead to PostgreSQL itself, or set pool_mode = session in PgBouncer',
};

function startupError(url: string, { outcome, reason }: Exclude<DatabaseProbe, { outcome: 'usable' }>): StartupError {
  return new StartupError(`The database at ${placeOf(url)} (DATABASE_URL) ${ADVICE[outcome]}. (${reason})`);
}

/** Host, port and name of a database, without user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
