import { createSampleAction, newCustomer, sampleAction, sampleQuote } from './sample-action';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import type { CustomerId } from '../../src/auth/principal';
import { createCustomer, setLimits } from '../../src/customers/customers';
import type { ActionPlan, OpenResource } from '../../src/transactions/action-plan';
import { createActionStarter } from '../../src/actions/start-action';
import { changeStatus } from '../../src/actions/state/change-status';

const LIMITS = { openActions: 3, openDrafts: 4, openDeliveries: 2 };
const reached = (limit: OpenResource, maximum: number) =>
  expect.objectContaining({
    code: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    details: { limit, maximum, retryAfter: 60 },
  });

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const starter = () => createActionStarter({ database: test.database, limits: LIMITS });

async function planFor(customerId: CustomerId, changes: Partial<ActionPlan> = {}): Promise<ActionPlan> {
  const quoteId = await sampleQuote(test.database, customerId);
  return { ...sampleAction({ customerId, quoteId }), ...changes };
}

const start = (plan: ActionPlan) =>
  test.database.$transaction((tx) => starter().startAction(tx, plan), { maxWait: 20_000, timeout: 20_000 });

async function startNew(customerId: CustomerId, changes: Partial<ActionPlan> = {}): Promise<ActionPlan> {
  const plan = await planFor(customerId, changes);
  await start(plan);
  return plan;
}

const openCount = (customerId: CustomerId, isDraft: boolean) =>
  test.database.action.count({ where: { customerId, isDraft } });

/** Makes the next request at the limit count the open rows. */
const forgetCount = (customerId: CustomerId) =>
  test.database.customerUsage.updateMany({ where: { customerId }, data: { countedAt: new Date(0) } });

const end = ({ id }: Pick<ActionPlan, 'id'>) =>
  test.database.$transaction((tx) => changeStatus(tx, id, { transition: 'failedBeforeOrigin' }));

describe('the open actions of a customer', () => {
  it('never exceed the limit, however many requests are concurrent', async () => {
    const customerId = newCustomer();
    const plans = await Promise.all(Array.from({ length: 12 }, () => planFor(customerId)));
    const results = await Promise.allSettled(plans.map(start));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toEqual(reached('openActions', 3));
    expect(await openCount(customerId, false)).toBe(3);
  });

  it('are limited for each customer alone', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    for (let count = 0; count < 3; count += 1) await startNew(one);
    await expect(startNew(one)).rejects.toEqual(reached('openActions', 3));
    await startNew(other);
  });

  it('have room again after one has ended', async () => {
    const customerId = newCustomer();
    const [first] = [await startNew(customerId), await startNew(customerId), await startNew(customerId)];
    await expect(startNew(customerId)).rejects.toEqual(reached('openActions', 3));
    await end(first);
    await forgetCount(customerId);
    await startNew(customerId);
    await expect(startNew(customerId)).rejects.toEqual(reached('openActions', 3));
  });

  it('include those that were open before the first count', async () => {
    const customerId = newCustomer();
    for (let count = 0; count < 3; count += 1) await createSampleAction(test.database, { customerId });
    await expect(startNew(customerId)).rejects.toEqual(reached('openActions', 3));
  });

  it('count once, however often the same action is requested, also at the limit', async () => {
    const customerId = newCustomer();
    const plan = await startNew(customerId);
    for (let count = 0; count < 5; count += 1) await start(plan);
    await startNew(customerId);
    await startNew(customerId);
    await start(plan);
    expect(await openCount(customerId, false)).toBe(3);
  });

  it('have the own limit of the customer where it has one', async () => {
    const { id: customerId } = await createCustomer(test.database, { name: 'own limits' });
    await setLimits(test.database, customerId, { openActions: 1 });
    await startNew(customerId);
    await expect(startNew(customerId)).rejects.toEqual(reached('openActions', 1));
    await setLimits(test.database, customerId, { openActions: null });
    await startNew(customerId);
  });
});

describe('the drafts of a customer', () => {
  it('have a limit of their own, and count as actions once they are executed', async () => {
    const customerId = newCustomer();
    const draft = await startNew(customerId, { isDraft: true });
    for (let count = 1; count < 4; count += 1) await startNew(customerId, { isDraft: true });
    await expect(startNew(customerId, { isDraft: true })).rejects.toEqual(reached('openDrafts', 4));
    for (let count = 0; count < 2; count += 1) await startNew(customerId);
    await start({ ...draft, isDraft: false });
    await expect(startNew(customerId)).rejects.toEqual(reached('openActions', 3));
    expect(await openCount(customerId, true)).toBe(3);
  });

  it('stay drafts when they are executed at the limit of open actions', async () => {
    const customerId = newCustomer();
    const draft = await startNew(customerId, { isDraft: true });
    for (let count = 0; count < 3; count += 1) await startNew(customerId);
    await expect(start({ ...draft, isDraft: false })).rejects.toEqual(reached('openActions', 3));
    expect(await openCount(customerId, true)).toBe(1);
  });
});

describe('the open deliveries of a customer', () => {
  const deposit = () => ({ provider: 'bridge', deposit: { address: 'bc1q', reference: 'r' } });

  it('are limited, and include a draft with a deposit address once it is executed', async () => {
    const customerId = newCustomer();
    const draft = await startNew(customerId, { delivery: deposit(), isDraft: true });
    for (let count = 0; count < 2; count += 1) await startNew(customerId, { delivery: deposit() });
    const execution = { ...draft, isDraft: false };
    await expect(start(execution)).rejects.toEqual(reached('openDeliveries', 2));
    await forgetCount(customerId);
    await expect(start(execution)).rejects.toEqual(reached('openDeliveries', 2));
    const assertMayOpen = starter().assertMayOpen(customerId, ['openDeliveries']);
    await expect(assertMayOpen).rejects.toEqual(reached('openDeliveries', 2));
  });

  it('leave room for executions, however many drafts have a deposit address', async () => {
    const customerId = newCustomer();
    const drafts: ActionPlan[] = [];
    for (let count = 0; count < 4; count += 1)
      drafts.push(await startNew(customerId, { delivery: deposit(), isDraft: true }));
    await startNew(customerId, { delivery: deposit() });
    await start({ ...drafts[0]!, isDraft: false });
    expect(await openCount(customerId, false)).toBe(2);
  });
});

describe('a request of a customer at its limit', () => {
  it('is refused before it causes work, and admitted after an action has ended', async () => {
    const customerId = newCustomer();
    const assertMayOpen = () => starter().assertMayOpen(customerId, ['openActions']);
    await assertMayOpen();
    const first = await startNew(customerId);
    await startNew(customerId);
    await assertMayOpen();
    await startNew(customerId);
    await expect(assertMayOpen()).rejects.toEqual(reached('openActions', 3));
    await end(first);
    await expect(assertMayOpen()).rejects.toEqual(reached('openActions', 3)); // counted a moment ago
    await forgetCount(customerId);
    await assertMayOpen();
  });
});
