import { plainHistory } from '../../../test/actions/plain-history';
import { createDatabaseBefore } from '../../../test/setup/database-before-migration';
import type { TestDatabase } from '../../../test/setup/test-database';
import { applyMigrations } from '../../persistence/apply-migrations';
import { readPages } from '../read-history';

const HISTORIES = '20261123011500_action_histories';
const CUSTOMER = '00000000-0000-4000-8000-000000000001';
const log = { info: () => undefined, warn: () => undefined };

let test: TestDatabase;

beforeAll(async () => {
  test = await createDatabaseBefore(HISTORIES);
});
afterAll(() => test.drop());

it('the migration gives the actions that exist to the histories of their wallets', async () => {
  const token = { chainId: 8453, address: '0x', symbol: 'T', name: 'T', decimals: 6 };
  await test.pool.query(
    `INSERT INTO "Action" (id, "customerId", type, status, "isDraft", "originAddress", "receiverAddress", "chainIdIn",
                           "chainIdOut", "tokenIn", "tokenOut", "amountIn", "amountOut", "minAmountOut", fees, "expiresAt",
                           "createdAt", "finishedAt")
     SELECT gen_random_uuid(), $1, 'TRANSFER_OUT', (ARRAY['INITIAL', 'PENDING', 'SUCCESS'])[1 + n % 3]::"ActionStatus", n = 12,
            (ARRAY['a', 'b'])[1 + n % 2], (ARRAY['a', 'b'])[1 + n / 2 % 2], 8453, 8453, $2, $2, 1, 1, 1,
            '{"total":"0","currency":"USD","breakdown":[]}', now(), to_timestamp(n % 5), CASE WHEN n % 3 = 2 THEN now() END
       FROM generate_series(1, 12) AS n`,
    [CUSTOMER, token],
  );
  await applyMigrations({ url: test.url, log });
  for (const wallet of ['a', 'b']) {
    for (const filter of [{}, { status: 'INITIAL' }, { sortBy: 'finishedAt' }] as const) {
      const ids = await plainHistory(test.pool, { customerId: CUSTOMER, wallet, filter });
      const query = { customerId: CUSTOMER as never, walletAddresses: [wallet], filter };
      const [history] = await readPages(test.database, query, { limit: 100, offset: 0n });
      expect(history!.rows.map(({ id }) => id)).toEqual(ids);
      expect(history!.total).toBe(ids.length);
    }
  }
});
