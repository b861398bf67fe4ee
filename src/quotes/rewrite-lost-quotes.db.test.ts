import { Client } from 'pg';
import { until } from '../../test/resilience/until';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { testVault } from '../../test/swaps/fake-fiat';
import { PRICED, quoteDeps } from '../../test/swaps/swap-world';
import type { CustomerId } from '../auth/principal';
import { openPool } from '../persistence/connection-pool';
import { uuidV7 } from '../persistence/uuid-v7';
import { priceRowWriter, priceWriter } from './quote-store';
import { quoteSwap } from './quote-swap';
import { quoteView } from './quote-view';
import { withLostQuotesRewritten } from './rewrite-lost-quotes';

const customerId = uuidV7() as CustomerId;
let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
  await world.database.customer.create({ data: { id: customerId, name: 'one' } });
});
afterAll(() => world.drop());

const log = { info: jest.fn(), warn: () => undefined };
/** An expired quote is not stored again. */
const quoteDeadline = () => Promise.resolve(new Date(Date.now() + 86_400_000));

it.each(['idle', 'busy'])('a quote is stored again when the connection ends, %s and opened before', async (state) => {
  const pool = openPool({ url: world.url, size: 1, name: 'prices', log });
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const save = priceWriter(withLostQuotesRewritten(priceRowWriter(pool), { pool, log }).write, testVault);
  const swap = await quoteSwap(quoteDeps({ quoteDeadline }), { customerId, fields: PRICED });
  const { quoteId: id } = swap;
  await save([{ customerId, swap, view: quoteView(swap) }]);
  // As after a crash of the database.
  await world.database.quote.delete({ where: { id } });
  const running = state === 'busy' ? pool.query('SELECT pg_sleep(60)').catch(() => undefined) : undefined;
  const admin = new Client({ connectionString: world.url });
  await admin.connect();
  await admin.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await running;
  await until('the quote is stored again', async () => (await world.database.quote.count({ where: { id } })) === 1);
  expect(await world.database.quote.count({ where: { id, customerId } })).toBe(1);
  await admin.end();
  await pool.end();
});
