import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { newCustomer } from '../../test/actions/sample-action';
import { gasBudgets } from '../../test/setup/gas';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import type { Transaction } from './database';
import type { GasSpending } from './gas-budgets';
import { sumGasSpending } from './gas-report';

const CHAIN_ID = 31337;
const USD = 1_000_000n;
const DAY_MS = 86_400_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const budgets = gasBudgets({ completionGasUsd: 10, sponsoredGasUsd: 10 });

function completion(customerId: string, microUsd: bigint, id: string = randomUUID()): GasSpending {
  const cost = { wei: microUsd * 1000n, microUsd };
  return { id, customerId, actionId: randomUUID(), chainId: CHAIN_ID, kind: 'completion', cost };
}

/** The gas of an operation of an action that can be executed for some seconds, or ended some seconds ago. */
function sponsored(
  customerId: string,
  actionId: string,
  { microUsd = 6n * USD, seconds = 300, sender = `0x${'ab'.repeat(20)}` } = {},
): GasSpending {
  const validUntil = new Date(Date.now() + seconds * 1000);
  const ids = { id: actionId, customerId, actionId, chainId: CHAIN_ID };
  const operation = { sender, nonceKey: BigInt(`0x${actionId.replaceAll('-', '')}`), validUntil };
  return { ...ids, kind: 'sponsored', cost: { wei: 1n, microUsd }, operation };
}

const take = async (spending: GasSpending, from = budgets): Promise<boolean> =>
  (await test.database.$transaction((tx) => from.take(tx, spending), { maxWait: 20_000, timeout: 20_000 })).taken;
const raise = (id: string, microUsd: bigint | undefined, wei = 1n) =>
  test.database.$transaction((tx) => budgets.raise(tx, id, { wei, microUsd }));

/** Millionths of a US dollar. */
async function recorded(customerId: string): Promise<number> {
  const { _sum } = await test.database.gasSpending.aggregate({ where: { customerId }, _sum: { costUsd: true } });
  return Math.round((_sum.costUsd?.toNumber() ?? 0) * 1e6);
}

/** Makes the next request at the limit add up the records. */
const forgetCount = (customerId: string) =>
  test.database.gasBudget.updateMany({ where: { customerId }, data: { countedAt: new Date(0) } });
const release = (id: string) => test.database.gasSpending.update({ where: { id }, data: { releasedAt: new Date() } });

describe('the budget of a customer for gas', () => {
  it('is no limit for gas that returns tokens of users, which counts against it: it is reached until the gas is a day old', async () => {
    const customerId = newCustomer();
    const reached = () => test.database.$transaction((tx) => budgets.reached(tx, { customerId, kind: 'completion' }));
    expect(await take(completion(customerId, 9n * USD))).toBe(true);
    expect([await reached(), await take(completion(customerId, 2n * USD))]).toEqual([undefined, false]);
    const ids = { id: randomUUID(), customerId, actionId: randomUUID(), chainId: CHAIN_ID };
    expect(await take({ ...ids, kind: 'completion', cost: { wei: 1n, microUsd: 2n * USD }, isForced: true })).toBe(
      true,
    );
    expect([await reached(), await recorded(customerId)]).toEqual([10, 11_000_000]);
    expect(await take(completion(customerId, 1n))).toBe(false);
    await test.database.gasSpending.updateMany({
      where: { customerId },
      data: { createdAt: new Date(Date.now() - DAY_MS - 1) },
    });
    expect(await reached()).toBe(10);
    await forgetCount(customerId);
    expect(await reached()).toBeUndefined();
  });

  it('is never exceeded, however many requests of any cost are concurrent', async () => {
    const costs = fc.array(fc.bigInt({ min: 1n, max: 6n * USD }), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(costs, async (given) => {
        const customerId = newCustomer();
        const taken = await Promise.all(given.map((microUsd) => take(completion(customerId, microUsd))));
        const sum = given.reduce((total, cost, index) => (taken[index] === true ? total + cost : total), 0n);
        expect(sum).toBeLessThanOrEqual(10n * USD);
        expect(await recorded(customerId)).toBe(Number(sum));
        // What was refused does not fit into the rest.
        const refused = given.filter((_, index) => taken[index] !== true);
        for (const cost of refused) expect(await take(completion(customerId, cost))).toBe(false);
        expect(await take(completion(customerId, 10n * USD - sum))).toBe(true);
        expect(await recorded(customerId)).toBe(Number(10n * USD));
      }),
      { numRuns: 5 },
    );
  });

  it('counts each kind and each customer alone', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    expect(await take(completion(one, 10n * USD))).toBe(true);
    expect(await take(completion(one, 1n))).toBe(false);
    expect(await take(completion(other, 10n * USD))).toBe(true);
    expect(await take(sponsored(one, randomUUID()))).toBe(true);
  });

  it('does not limit the gas of money that the service holds, and records it', async () => {
    const customerId = newCustomer();
    const ids = { customerId, actionId: randomUUID(), chainId: CHAIN_ID, kind: 'ramp' } as const;
    expect(await take({ ...ids, id: randomUUID(), cost: { wei: 5n, microUsd: 99n * USD } })).toBe(true);
    expect(await take({ ...ids, id: randomUUID(), cost: { wei: 7n, microUsd: undefined } })).toBe(true);
    expect(await take(completion(customerId, 10n * USD))).toBe(true);
    const sums = (await sumGasSpending(test.database, { days: 1 })).filter((sum) => sum.customerId === customerId);
    expect(sums).toMatchObject([
      { kind: 'ramp', chainId: String(CHAIN_ID), count: 2, unpriced: 1, costUsd: '99.000000', wei: '12' },
      { kind: 'completion', count: 1, unpriced: 0, costUsd: '10.000000' },
    ]);
  });

  it('has room again for gas that was paid more than 24 hours ago', async () => {
    const customerId = newCustomer();
    await take(completion(customerId, 9n * USD));
    expect(await take(completion(customerId, 2n * USD))).toBe(false);
    const createdAt = new Date(Date.now() - DAY_MS - 1000);
    await test.database.gasSpending.updateMany({ where: { customerId }, data: { createdAt } });
    await forgetCount(customerId);
    expect(await take(completion(customerId, 2n * USD))).toBe(true);
    expect(await take(completion(customerId, 9n * USD))).toBe(false);
  });

  it('is the limit of the customer itself, when it has one', async () => {
    const [id, name] = [newCustomer(), 'own budget'];
    await test.database.customer.create({ data: { id, name, limits: { completionGasUsd: 2 } } });
    expect(await take(completion(id, 2n * USD + 1n))).toBe(false);
    expect(await take(completion(id, 2n * USD))).toBe(true);
    await test.database.customer.update({ where: { id }, data: { limits: {} } });
    expect(await take(completion(id, 8n * USD))).toBe(true);
  });

  it('includes the higher cost of a replacement, once', async () => {
    const [customerId, id] = [newCustomer(), randomUUID()];
    await take(completion(customerId, 4n * USD, id));
    for (let count = 0; count < 2; count += 1) await raise(id, 7n * USD);
    await raise(id, 5n * USD);
    await raise(id, undefined);
    expect(await recorded(customerId)).toBe(Number(7n * USD));
    const [budget] = await test.database.gasBudget.findMany({ where: { customerId } });
    expect(budget!.usedUsd.toNumber()).toBe(7);
    expect(await take(completion(customerId, 3n * USD + 1n))).toBe(false);
    expect(await take(completion(customerId, 3n * USD))).toBe(true);
    await raise(randomUUID(), 7n * USD); // a transaction of a former version has no record
  });

  it('includes a replacement without a price in proportion to its higher fee', async () => {
    const [customerId, id] = [newCustomer(), randomUUID()];
    await take(completion(customerId, 4n * USD + 1n, id));
    await raise(id, undefined, 2n * 1000n * (4n * USD + 1n));
    expect(await recorded(customerId)).toBe(Number(8n * USD + 2n));
    expect(await take(completion(customerId, 2n * USD - 1n))).toBe(false);
    expect(await take(completion(customerId, 2n * USD - 2n))).toBe(true);
  });

  it('adds up the records of a customer at its limit every five seconds at most, even when that takes too long', async () => {
    const customerId = newCustomer();
    await take(completion(customerId, 9n * USD));
    let sums = 0;
    /** A transaction whose sum takes too long. */
    const slow = (tx: Transaction): Transaction => {
      const $queryRaw = (text: TemplateStringsArray, ...values: unknown[]) => {
        if (!text.join('').includes('sum(')) return tx.$queryRaw(text, ...values);
        sums += 1;
        return tx.$queryRaw`SELECT pg_sleep(60)`;
      };
      return { $queryRaw, $executeRaw: tx.$executeRaw.bind(tx) } as unknown as Transaction;
    };
    const budgetsWithShortTimeout = gasBudgets({ completionGasUsd: 10 }, { maxCountMs: 50 });
    const timeout = async (tx: Transaction) => (await tx.$queryRaw<unknown[]>`SHOW statement_timeout`)[0];
    for (let count = 0; count < 3; count += 1) {
      const [taken, before, after] = await test.database.$transaction(async (tx) => {
        const earlier = await timeout(tx);
        return [
          await budgetsWithShortTimeout.take(slow(tx), completion(customerId, 2n * USD)),
          earlier,
          await timeout(tx),
        ];
      });
      expect(taken).toEqual({ taken: false, maximum: 10 });
      expect(after).toEqual(before);
      // The five seconds begin with the attempt, and do not end during the test.
      await test.pool.query(
        `UPDATE "GasBudget" SET "countedAt" = "countedAt" + interval '1 hour' WHERE "customerId" = $1`,
        [customerId],
      );
    }
    expect(sums).toBe(1);
    expect(await recorded(customerId)).toBe(Number(9n * USD));
  });

  it('is logged once when it is exhausted, however many requests exceed it', async () => {
    const warn = jest.fn();
    const logging = gasBudgets({ completionGasUsd: 1 }, { log: { warn } });
    const customerId = newCustomer();
    await Promise.all(Array.from({ length: 8 }, () => take(completion(customerId, 2n * USD), logging)));
    const described = { customerId, limit: 'completionGasUsd', maximum: 1 };
    expect(warn.mock.calls).toEqual([[described, expect.stringContaining('exhausted')]]);
  });
});

describe('sponsored gas', () => {
  it('counts once for all operations of an action, at its highest cost', async () => {
    const [customerId, actionId] = [newCustomer(), randomUUID()];
    for (const microUsd of [6n * USD, 5n * USD, 8n * USD])
      expect(await take(sponsored(customerId, actionId, { microUsd }))).toBe(true);
    expect(await recorded(customerId)).toBe(Number(8n * USD));
    expect(await take(sponsored(customerId, randomUUID(), { microUsd: 2n * USD + 1n }))).toBe(false);
    expect(await take(sponsored(customerId, actionId, { microUsd: 10n * USD }))).toBe(true);
  });

  it('counts when its operation expired, and no longer when it was released', async () => {
    const [customerId, id] = [newCustomer(), randomUUID()];
    await take(sponsored(customerId, id, { seconds: -600 }));
    const next = () => forgetCount(customerId).then(() => take(sponsored(customerId, randomUUID())));
    const sums = async () =>
      (await sumGasSpending(test.database, { days: 2 })).filter((sum) => sum.customerId === customerId);
    expect(await next()).toBe(false);
    expect(await sums()).toMatchObject([{ count: 1 }]);
    await release(id);
    expect(await sums()).toEqual([]);
    expect(await next()).toBe(true);
  });

  it('counts again when another operation of the action is signed after the release', async () => {
    const [customerId, id] = [newCustomer(), randomUUID()];
    await take(sponsored(customerId, id, { seconds: -600 }));
    await release(id);
    await forgetCount(customerId);
    expect(await take(sponsored(customerId, id, { microUsd: 5n * USD }))).toBe(true);
    expect(await test.database.gasSpending.findUnique({ where: { id } })).toMatchObject({ releasedAt: null });
    await forgetCount(customerId);
    expect(await take(sponsored(customerId, randomUUID(), { microUsd: 4n * USD + 1n }))).toBe(false);
    expect(await take(sponsored(customerId, randomUUID(), { microUsd: 4n * USD }))).toBe(true);
  });

  it('cannot be released when an action has operations of several accounts', async () => {
    const [customerId, id] = [newCustomer(), randomUUID()];
    await take(sponsored(customerId, id));
    await take(sponsored(customerId, id, { sender: `0x${'cd'.repeat(20)}` }));
    expect(await test.database.gasSpending.findUnique({ where: { id } })).toMatchObject({ sender: null });
  });
});
