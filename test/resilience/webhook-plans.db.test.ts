import { Client } from 'pg';
import type { CustomerId } from '../../src/auth/principal';
import { claimWebhooks } from '../../src/webhooks/claim-deliveries';
import { type DeliveryFilter, listDeliveries, replayParked } from '../../src/webhooks/delivery-log';
import { parkDeliveriesOfDisabled } from '../../src/webhooks/park-deliveries';
import { prepareEvents } from '../../src/webhooks/prepare-events';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { PLANNED_ROWS, ROWS_PER_TABLE } from './grown-database';
import { type PlanNode, readPlan, type RecordedStatement, recordStatements, rowsRead } from './query-plans';

const id = (kind: string, number: string): string =>
  `('${kind}0000000-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const idText = (kind: string, number: number): string =>
  `${kind}0000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
/** A customer, and its endpoint with half of all deliveries; most of these are parked. */
const CUSTOMER = idText('c', 0) as CustomerId;
const BUSY_ENDPOINT = idText('e', 0);
/** Endpoints: the busy one, and 200 others of 20 customers. */
const ENDPOINT = `CASE WHEN n % 2 = 0 THEN 0 ELSE 1 + n % 200 END`;
const STATE = `CASE WHEN n % 100 IN (1, 8) THEN 'WAITING' WHEN n % 10 IN (2, 4, 6) THEN 'PARKED' ELSE 'DELIVERED' END`;
const AT = `now() - n * interval '30 seconds'`;

/** Rows as a deployment has them after a month, with some events to prepare. */
const INSERTS: Readonly<Record<string, string>> = {
  WebhookEndpoint: `
    INSERT INTO "WebhookEndpoint" (id, "customerId", url)
    SELECT ${id('e', 'n')}, ${id('c', 'n % 20')}, 'https://hooks.example.com/' FROM generate_series(0, 200) AS n`,
  WebhookEvent: `
    INSERT INTO "WebhookEvent" (id, "customerId", type, "subjectId", "orderKey", seq, body, "preparedAt", "dueAt", "occurredAt")
    SELECT ${id('a', 'n')}, ${id('c', `(${ENDPOINT}) % 20`)}, 'action.created', ${id('b', 'n / 3')}, ${id('b', 'n / 3')}, n % 3, '{}',
           CASE WHEN n % 100 > 0 THEN ${AT} END, ${AT}, ${AT}
      FROM generate_series(1, ${ROWS_PER_TABLE}) AS n`,
  WebhookDelivery: `
    INSERT INTO "WebhookDelivery" (id, "customerId", "eventId", "endpointId", "orderKey", seq, state, "nextAt", "createdAt", "finishedAt")
    SELECT ${id('d', 'n')}, ${id('c', `(${ENDPOINT}) % 20`)}, ${id('a', 'n')}, ${id('e', ENDPOINT)}, ${id('b', 'n / 3')}, n % 3,
           ${STATE}, ${AT}, ${AT}, CASE WHEN ${STATE} <> 'WAITING' THEN ${AT} END
      FROM generate_series(1, ${ROWS_PER_TABLE}) AS n`,
};

let test: TestDatabase;
let explaining: Client;
let recorded: RecordedStatement[];
beforeAll(async () => {
  test = await createTestDatabase();
  const client = await test.pool.connect();
  await client.query('SET synchronous_commit = off');
  for (const [table, insert] of Object.entries(INSERTS)) {
    await client.query(`ALTER TABLE "${table}" SET (autovacuum_enabled = off)`);
    await client.query(insert);
    await client.query(`ANALYZE "${table}"`);
    if (table !== 'WebhookEndpoint')
      await client.query(`UPDATE pg_class SET reltuples = ${PLANNED_ROWS} WHERE oid = '"${table}"'::regclass`);
  }
  client.release(true); // its statements are not recorded
  recorded = recordStatements(test.pool);
  explaining = new Client({ connectionString: test.url });
  await explaining.connect();
});
afterAll(async () => {
  await explaining.end();
  await test.drop();
});

const log = { warn: () => undefined };
const list = (filter: DeliveryFilter) =>
  listDeliveries({ database: test.database }, { customerId: CUSTOMER, ...filter });

const HOT_PATHS: Readonly<Record<string, () => Promise<unknown>>> = {
  'the claim of deliveries': () => claimWebhooks(test, 64),
  'the preparation of events': () =>
    prepareEvents({ database: test.database, log, render: () => Promise.resolve({ data: {}, url: null }) }),
  'the preparation of events for the URLs of quotes': () =>
    prepareEvents({
      database: test.database,
      log,
      render: () => Promise.resolve({ data: {}, url: 'https://quotes.example.com/' }),
    }),
  'the parked deliveries of disabled endpoints': () => parkDeliveriesOfDisabled(test),
  'a replay of the parked deliveries of an endpoint': () =>
    replayParked(test, { customerId: CUSTOMER, endpointId: BUSY_ENDPOINT }),
  'the newest deliveries': () => list({}),
  'the newest deliveries of an endpoint': () => list({ endpointId: BUSY_ENDPOINT }),
  'the newest deliveries in a state': () => list({ state: 'PARKED' }),
  'the newest deliveries of an endpoint in a state': () => list({ endpointId: BUSY_ENDPOINT, state: 'PARKED' }),
  'the deliveries of an event': () => list({ eventId: idText('a', 600) }),
  'the deliveries of events about an action': () => list({ subjectId: idText('b', 200), type: 'action.created' }),
};

/** The jumps from one endpoint to the next read the start of an index without a condition: its rows are what counts. */
const isSlow = (node: PlanNode): boolean =>
  rowsRead(node) > ROWS_PER_TABLE / 4 ||
  (node['Node Type'] === 'Seq Scan' && /^Webhook(?:Event|Delivery)$/.test(node['Relation Name'] ?? ''));

/** Why the statements of some work become slow as the tables grow. */
async function problemsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  recorded.length = 0;
  await work();
  const statements = [...recorded];
  expect(statements.length).toBeGreaterThan(0);
  const problems: string[] = [];
  for (const statement of statements) {
    for (const node of await readPlan(explaining, statement)) {
      if (isSlow(node)) problems.push(`${node['Node Type']}: ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
    }
  }
  return problems;
}

it.each(Object.entries(HOT_PATHS))('reads no table of webhooks to its end for: %s', async (_, work) => {
  expect(await problemsOf(work)).toEqual([]);
});
