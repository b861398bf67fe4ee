import { createSampleAction, newCustomer } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { changeStatus } from '../state/change-status';
import { foldActionCounts } from './fold-action-counts';
import { recountActions } from './recount-actions';

const BOB = '0x0000000000000000000000000000000000000B0b';
const CAROL = '0x00000000000000000000000000000000000CA401';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const never = new AbortController().signal;
const fold = () => foldActionCounts({ pool: test.pool, batchSize: 10 }, never);

/** The counters of a wallet that are not zero, as `<status>: <count>`. */
async function countsOf(customerId: string, wallet: string): Promise<readonly string[]> {
  const { rows } = await test.pool.query<{ text: string }>(
    `SELECT status || ': ' || sum(count) AS text
       FROM (SELECT "customerId", wallet, status, count FROM "ActionCount"
              UNION ALL SELECT "customerId", wallet, status, change FROM "ActionCountChange") AS counter
      WHERE "customerId" = $1 AND wallet = $2 GROUP BY status HAVING sum(count) <> 0 ORDER BY status`,
    [customerId, wallet],
  );
  return rows.map(({ text }) => text);
}

const waitingChanges = async (): Promise<number> =>
  (await test.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM "ActionCountChange"')).rows[0]!.count;

const makeActions = (customerId: ReturnType<typeof newCustomer>, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      createSampleAction(test.database, {
        customerId,
        originAddress: index % 2 === 0 ? BOB : CAROL,
        receiverAddress: index % 2 === 0 ? CAROL : BOB,
      }),
    ),
  );

describe('the counters of the actions of a wallet', () => {
  it('are exact after concurrent changes of actions between the same wallets, and while they are folded', async () => {
    const customerId = newCustomer();
    const actions = await makeActions(customerId, 40);
    const end = (id: string) => test.database.$transaction((tx) => changeStatus(tx, id, { transition: 'originSeen' }));
    await Promise.all([...actions.map(({ id }) => end(id)), fold(), fold(), fold()]);
    for (const wallet of [BOB, CAROL]) expect(await countsOf(customerId, wallet)).toEqual(['PENDING: 40']);
    await fold();
    expect(await waitingChanges()).toBe(0);
    for (const wallet of [BOB, CAROL]) expect(await countsOf(customerId, wallet)).toEqual(['PENDING: 40']);
  });

  it('do not make a change of one action wait for an open transaction that changes another one of the wallet', async () => {
    const customerId = newCustomer();
    const [first, second] = await makeActions(customerId, 2);
    await test.database.$transaction(async (tx) => {
      await changeStatus(tx, first!.id, { transition: 'originSeen' });
      await test.database.$transaction(async (other) => {
        await other.$executeRaw`SET LOCAL lock_timeout = 100`;
        await changeStatus(other, second!.id, { transition: 'originSeen' });
      });
    });
    expect(await countsOf(customerId, BOB)).toEqual(['PENDING: 2']);
  });

  it('change with their action or not at all', async () => {
    const customerId = newCustomer();
    const [action] = await makeActions(customerId, 1);
    const failed = test.database.$transaction(async (tx) => {
      await changeStatus(tx, action!.id, { transition: 'originSeen' });
      throw new RangeError('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await countsOf(customerId, BOB)).toEqual(['INITIAL: 1']);
  });
});

describe('the recount', () => {
  const recount = async () => {
    const warn = jest.fn<unknown, unknown[]>();
    await recountActions({ database: test.database, log: { warn } }, never);
    const { drift } = await test.database.counterDrift.findUniqueOrThrow({ where: { name: 'actions' } });
    return { warnings: warn.mock.calls.length, drift };
  };

  it('finds nothing to repair where the service alone wrote', async () => {
    await makeActions(newCustomer(), 3);
    expect(await recount()).toEqual({ warnings: 0, drift: 0n });
  });

  it('repairs counters and parties that differ, reports them once, and names the wallets', async () => {
    const customerId = newCustomer();
    const [lost, changed] = await makeActions(customerId, 3);
    await fold();
    await test.pool.query('UPDATE "ActionCount" SET count = count + 5 WHERE "customerId" = $1 AND wallet = $2', [
      customerId,
      BOB,
    ]);
    await test.pool.query('DELETE FROM "ActionParty" WHERE "actionId" = $1 AND wallet = $2', [lost!.id, CAROL]);
    await test.pool.query(`UPDATE "ActionParty" SET status = 'FAILED' WHERE "actionId" = $1`, [changed!.id]);
    await test.pool.query(
      `INSERT INTO "ActionParty" ("actionId", wallet, "customerId", status, type, "isDraft", "createdAt", "updatedAt")
       VALUES ('ffffffff-ffff-4fff-8fff-ffffffffffff', $1, $2, 'FAILED', 'TRANSFER_OUT', false, now(), now())`,
      [BOB, customerId],
    );
    expect(await recount()).toEqual({ warnings: 1, drift: 3n + 5n });
    for (const wallet of [BOB, CAROL]) expect(await countsOf(customerId, wallet)).toEqual(['INITIAL: 3']);
    expect(await test.database.actionParty.count({ where: { customerId, status: 'INITIAL' } })).toBe(6);
    expect(await test.database.actionParty.count({ where: { customerId } })).toBe(6);
    expect(await recount()).toEqual({ warnings: 0, drift: 0n });
  });

  it('counts the actions of wallets that have no counters at all', async () => {
    const customerId = newCustomer();
    await makeActions(customerId, 2);
    await test.pool.query('DELETE FROM "ActionCountChange" WHERE "customerId" = $1', [customerId]);
    expect(await recount()).toEqual({ warnings: 1, drift: 4n });
    expect(await countsOf(customerId, CAROL)).toEqual(['INITIAL: 2']);
  });
});
