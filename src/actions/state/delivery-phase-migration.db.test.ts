import { createSampleTransfer } from '../../../test/actions/sample-transfer';
import { createDatabaseBefore } from '../../../test/setup/database-before-migration';
import type { TestDatabase } from '../../../test/setup/test-database';
import { applyMigrations } from '../../persistence/apply-migrations';

const DELIVERY_PHASE = '20261122021500_delivery_phase';
const CUSTOMER = '00000000-0000-4000-8000-000000000001';
const log = { info: () => undefined, warn: () => undefined };

let test: TestDatabase;

beforeAll(async () => {
  test = await createDatabaseBefore(DELIVERY_PHASE);
});
afterAll(() => test.drop());

interface EarlierRow {
  readonly id: number;
  readonly status: string;
  readonly nextLookAt: string | null;
  readonly step: string;
  readonly failureReason: string | null;
}

const idOf = (id: number): string => `00000000-0000-4000-8000-00000000010${String(id)}`;

async function insert({ id, status, nextLookAt, step, failureReason }: EarlierRow): Promise<void> {
  const actionId = idOf(id);
  await test.pool.query(
    `INSERT INTO "Action" (id, "customerId", type, status, "originAddress", "receiverAddress", "chainIdIn", "chainIdOut",
                           "tokenIn", "tokenOut", "amountIn", "amountOut", "minAmountOut", fees, "expiresAt")
     VALUES ($1, $2, 'CROSSCHAIN_SWAP', $3::"ActionStatus", 'a', 'b', 1, 2, '{}', '{}', 1, 1, 1, '{}', now())`,
    [actionId, CUSTOMER, status],
  );
  await test.pool.query(
    `INSERT INTO "ActionStep" ("actionId", "stepIndex", "customerId", kind, operator, "chainId", status, "failureReason")
     VALUES ($1, 1, $2, 'BRIDGE', 'PROVIDER', 2, $3::"StepStatus", $4)`,
    [actionId, CUSTOMER, step, failureReason],
  );
  await test.pool.query(
    `INSERT INTO "Delivery" ("actionId", "customerId", provider, memory, "nextLookAt", looks)
     VALUES ($1, $2, 'bridge', '{"nonce":"7"}', $3::timestamptz, 5)`,
    [actionId, CUSTOMER, nextLookAt],
  );
}

describe('the migration of deliveries and steps', () => {
  const DUE = '2026-11-22T02:00:00.000Z';

  beforeAll(async () => {
    const rows: readonly EarlierRow[] = [
      { id: 1, status: 'INITIAL', nextLookAt: null, step: 'PENDING', failureReason: null },
      { id: 2, status: 'PENDING', nextLookAt: null, step: 'PENDING', failureReason: null },
      { id: 3, status: 'PENDING', nextLookAt: DUE, step: 'SUBMITTED', failureReason: 'another token arrived' },
      { id: 4, status: 'FAILED', nextLookAt: DUE, step: 'FAILED', failureReason: 'the solver is insolvent' },
      { id: 5, status: 'FAILED', nextLookAt: null, step: 'CONFIRMED', failureReason: 'less arrived' },
      { id: 6, status: 'SUCCESS', nextLookAt: null, step: 'CONFIRMED', failureReason: null },
    ];
    for (const row of rows) await insert(row);
    expect(await applyMigrations({ url: test.url, log })).toContain(DELIVERY_PHASE);
  });

  it('stores the phase that the schedule and the action implied, and keeps the schedule', async () => {
    const deliveries = await test.database.delivery.findMany({ orderBy: { actionId: 'asc' } });
    expect(deliveries.map(({ phase, nextPollAt }) => [phase, nextPollAt?.toISOString()])).toEqual([
      ['AWAITING_ORIGIN', undefined],
      ['AWAITING_ORIGIN', undefined],
      ['ACTIVE', DUE],
      ['ACTIVE', DUE],
      ['ENDED', undefined],
      ['ENDED', undefined],
    ]);
  });

  it('keeps checkpoints and poll counts, and starts without leases', async () => {
    const deliveries = await test.database.delivery.findMany();
    expect(deliveries).toHaveLength(6);
    for (const delivery of deliveries)
      expect(delivery).toMatchObject({
        checkpoint: { nonce: '7' },
        pollCount: 5,
        leasedUntil: null,
        fencingToken: 0n,
      });
  });

  it('keeps the reason of a failed step, and stores the reason of any other step as a flaw of its delivery', async () => {
    const steps = await test.database.actionStep.findMany({ orderBy: { actionId: 'asc' } });
    expect(steps.map(({ failureReason, deliveryFlaw }) => [failureReason, deliveryFlaw])).toEqual([
      [null, null],
      [null, null],
      [null, 'another token arrived'],
      ['the solver is insolvent', null],
      [null, 'less arrived'],
      [null, null],
    ]);
  });

  it('leaves a database that new actions can use', async () => {
    const { id } = await createSampleTransfer(test.database);
    const delivery = await test.database.delivery.findUniqueOrThrow({ where: { actionId: id } });
    expect(delivery).toMatchObject({ phase: 'AWAITING_ORIGIN', nextPollAt: null });
  });
});
