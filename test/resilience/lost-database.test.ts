import { readFileSync, realpathSync } from 'node:fs';
import type { Server } from 'node:net';
import path from 'node:path';
import { type KillableService, startKillableService } from '../e2e/killed-service';
import { processesNaming } from '../setup/processes';
import { customerNamed } from '../setup/running-service';
import { takePort } from '../setup/take-port';

const WALLET = '0x00000000000000000000000000000000deadd0aa';
/** Below the number of requests that the service refuses without a database. */
const LIMIT = 100;
const REFUSED = 150;
const CALLERS = 5;
/** Root fields of one GraphQL request; each counts as a request. */
const ROOT_FIELDS = 30;

let service: KillableService;
beforeAll(async () => {
  service = await startKillableService({ RATE_LIMIT_PER_MINUTE: '1000', RATE_LIMIT_PER_HOUR: String(LIMIT) });
});
afterAll(() => service.end(), 30_000);

interface Reply {
  readonly status: number;
  readonly retryAfter: number;
  /** Requests left of the caller's hour. */
  readonly remaining: number;
  readonly body: any;
}

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(target: string, init: Sent = {}): Promise<Reply> {
  const { apiKey } = customerNamed(service.described, 'demo');
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', ...init.headers };
  const response = await fetch(`${service.described.baseUrl}${target}`, { ...init, headers });
  const retryAfter = Number(response.headers.get('retry-after'));
  const remaining = Number(response.headers.get('x-ratelimit-remaining'));
  return { status: response.status, retryAfter, remaining, body: await response.json() };
}

const sendQuery = (query: string): Promise<Reply> =>
  send('/graphql', { method: 'POST', body: JSON.stringify({ query }) });

const listActions = (): Promise<Reply> => send(`/actions?walletAddress=${WALLET}`);

/** Requests that read, write, or do both, over REST and over GraphQL. */
const REQUESTS: readonly (() => Promise<Reply>)[] = [
  listActions,
  () => sendQuery(`{ actions(walletAddress: "${WALLET}") { pagination { total } } }`),
  () => send('/api/v1/kyc/00000000-0000-7000-8000-000000000001/wallets'),
  () => {
    const person = { taxId: '12345678909', taxIdCountry: 'BRA', email: 'a@example.com' };
    const body = JSON.stringify({ walletAddress: WALLET, ...person });
    return send('/api/v1/kyc/sessions', { method: 'POST', body, headers: { 'idempotency-key': crypto.randomUUID() } });
  },
];

/** Runs the requests, five at a time. */
async function sendMany(count: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (sent < count) replies.push(await REQUESTS[sent++ % REQUESTS.length]!());
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return replies;
}

/** Errors of a response, in the envelope of REST or in the format of GraphQL. */
function codesOf({ body }: Reply): readonly string[] {
  if (body.error !== undefined) return [body.error.code];
  return (body.errors ?? []).map((error: any) => error.extensions.code);
}

const isServed = (reply: Reply): boolean =>
  reply.status < 500 && codesOf(reply).every((code) => code.endsWith('_NOT_FOUND'));

function expectRefusal(reply: Reply): void {
  expect(codesOf(reply)).toEqual(['SERVICE_UNAVAILABLE']);
  const isGraphql = reply.body.errors !== undefined;
  if (isGraphql && reply.status === 200) return;
  expect(reply).toMatchObject({ status: 503, retryAfter: expect.any(Number) });
  expect(reply.retryAfter).toBeGreaterThanOrEqual(1);
}

const databasePort = (): number => {
  const { DATABASE_URL } = JSON.parse(readFileSync(path.join(service.directory, 'environment.json'), 'utf8'));
  return Number(new URL(DATABASE_URL).port);
};

/** Kills the processes whose command line contains a text, except the shell that waits for them. */
function kill(text: string): void {
  for (const { pid, command } of processesNaming(text)) {
    if (!command.startsWith('/bin/sh')) process.kill(pid, 'SIGKILL');
  }
}

/** Kills the server of the database, and takes its port, so that it cannot start again. */
const takeDatabaseAway = (): Promise<Server> =>
  takePort(databasePort(), () =>
    kill(`postgres -D ${realpathSync(path.join(service.directory, 'postgres/cluster'))} `),
  );

describe('an embedded service whose database is killed', () => {
  let served = 0;
  const count = (replies: readonly Reply[]): void => {
    for (const reply of replies) {
      if (isServed(reply)) served += 1;
      else expectRefusal(reply);
    }
  };

  it('serves or refuses every request, starts its database again, and serves again', async () => {
    const before = await sendMany(10);
    expect(before.filter(isServed)).toHaveLength(10);
    const [holder, inFlight] = await Promise.all([takeDatabaseAway(), sendMany(20)]);
    count([...before, ...inFlight]);

    const refused = await sendMany(REFUSED);
    for (const reply of refused) expectRefusal(reply);
    holder.close();

    for (let reply = await listActions(); ; reply = await listActions()) {
      count([reply]);
      if (isServed(reply)) break;
    }
    const after = await sendMany(10);
    expect(after.filter(isServed)).toHaveLength(10);
    count(after);
  });

  it('charges no request that it refused', async () => {
    // A killed server empties the table, and for a second after a failure requests are counted in memory.
    const pointsOf = async (): Promise<number | undefined> => {
      const [row] = await service.query<{ points: number }>(
        `SELECT points FROM rate_limit WHERE key LIKE 'hour:key:%'`,
      );
      return row?.points;
    };
    const isChargedTooMuch = (points: number | undefined): boolean => points === undefined || points > served;
    while (isChargedTooMuch(await pointsOf())) count([await listActions()]);
  });

  it('leaves the rest of a limit when a GraphQL request exceeds it', async () => {
    const fields = Array.from(
      { length: ROOT_FIELDS },
      (_, index) => `f${String(index)}: actions(walletAddress: "${WALLET}") { pagination { total } }`,
    );
    let { remaining } = await listActions();
    while (remaining >= ROOT_FIELDS) remaining = (await listActions()).remaining;
    const refused = await sendQuery(`{ ${fields.join(' ')} }`);
    expect(refused).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
    expect(codesOf(refused)).toEqual(['RATE_LIMIT_EXCEEDED']);
    // The HTTP request itself counts, because its document was planned.
    expect(await listActions()).toMatchObject({ status: 200, remaining: remaining - 2 });
  });
});

it('ends with a sentence and exit code 1 when its chains and emulators have gone', async () => {
  kill(`devnet/main.js ${service.directory}`);
  const { code, errors } = await service.ended;
  expect(code).toBe(1);
  expect(errors).toContain(
    'The process of the local chains and emulators ended by itself (SIGKILL). The service stops',
  );
});
