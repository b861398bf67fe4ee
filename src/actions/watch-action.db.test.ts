import { createSampleAction, newCustomer } from '../../test/actions/sample-action';
import { createSampleTransfer, recordOrigin, someChain } from '../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import type { CustomerId } from '../auth/principal';
import { createChainTable } from '../chains/chain-table';
import type { Database } from '../persistence/database';
import { createActionFeed } from './action-feed';
import type { ActionView } from './action-view';
import { changeStatus } from './state/change-status';
import { watchAction, type WatchDeps } from './watch-action';

let test: TestDatabase;
let deps: WatchDeps;
beforeAll(async () => {
  test = await createTestDatabase();
  deps = watching(test.database);
});
afterAll(() => test.drop());

const watching = (
  database: Database,
  limits: Pick<Parameters<typeof createActionFeed>[0], 'capacity'> = {},
): WatchDeps => ({
  database,
  chains: createChainTable([someChain(31337), someChain(31338)]),
  feed: createActionFeed({ database, pollMs: 10, ...limits }),
  findLimit: () => Promise.resolve(limits.capacity?.perCustomer ?? 1000),
});
const move = (id: string, transition: 'originSeen' | 'completed') =>
  test.database.$transaction((tx) => changeStatus(tx, id, { transition }));
const open = (
  sample: Pick<Awaited<ReturnType<typeof createSampleAction>>, 'id' | 'customerId'>,
  signal?: AbortSignal,
) => watchAction(deps, { ...sample, actionId: sample.id, signal: signal ?? new AbortController().signal });
const next = async (views: AsyncGenerator<ActionView>): Promise<ActionView> => {
  const { done, value } = await views.next();
  if (done === true) throw new Error('the watch has ended');
  return value;
};

describe('a watched action', () => {
  it('is yielded at once and at every change, until it has ended', async () => {
    const sample = await createSampleAction(test.database);
    const views = await open(sample);
    expect((await next(views)).status).toBe('INITIAL');
    const waiting = next(views);
    await move(sample.id, 'originSeen');
    expect((await waiting).status).toBe('PENDING');
    await move(sample.id, 'completed');
    expect((await next(views)).status).toBe('SUCCESS');
    expect(await views.next()).toEqual({ done: true, value: undefined });
  });

  it('is yielded when one of its steps changes, although its status stays', async () => {
    const sample = await createSampleTransfer(test.database);
    await recordOrigin(test.database, sample.id, { final: false });
    const views = await open(sample);
    expect((await next(views)).steps[0]).toMatchObject({ status: 'SUBMITTED' });
    const where = { actionId_stepIndex: { actionId: sample.id, stepIndex: 0 } };
    await test.database.actionStep.update({ where, data: { status: 'CONFIRMED' } });
    expect((await next(views)).steps[0]).toMatchObject({ status: 'CONFIRMED' });
    await views.return(undefined);
  });

  it('is yielded in its latest state to a consumer that was busy meanwhile', async () => {
    const sample = await createSampleAction(test.database);
    const views = await open(sample);
    await next(views);
    await move(sample.id, 'originSeen');
    await move(sample.id, 'completed');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await next(views)).status).toBe('SUCCESS');
  });

  it('is no longer polled when the consumer leaves', async () => {
    const ending = new AbortController();
    const views = await open(await createSampleAction(test.database), ending.signal);
    await next(views);
    const waiting = views.next();
    ending.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('is not visible to another customer', async () => {
    const sample = await createSampleAction(test.database);
    await expect(open({ ...sample, customerId: newCustomer() })).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
  });
});

describe('the feed of changes', () => {
  it('queries the database once for all watched actions, and not at all without any', async () => {
    const sample = await createSampleAction(test.database);
    let queries = 0;
    const $queryRaw = (...args: unknown[]) => {
      queries += 1;
      return (test.database.$queryRaw as unknown as (...all: unknown[]) => unknown).apply(test.database, args);
    };
    const feed = createActionFeed({ database: { $queryRaw } as never, pollMs: 20 });
    const watches = Array.from({ length: 200 }, () =>
      feed.watch({ customerId: sample.customerId, actionId: sample.id }),
    );
    await Promise.all(watches.map((watch) => watch.changed(new AbortController().signal)));
    expect(queries).toBe(1);
    for (const watch of watches) watch.close();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const afterwards = queries;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(queries).toBe(afterwards);
  });

  it('has a limit per customer and in total, and accepts another watch when one is closed', () => {
    const feed = createActionFeed({ database: test.database, capacity: { perCustomer: 2, total: 3 } });
    const watch = (customer: string) => feed.watch({ customerId: customer as CustomerId, actionId: 'a' });
    const full = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
    const details = { limit: 'actionWatches', maximum: 2, retryAfter: 5 };
    const watches = [watch('one'), watch('one')];
    expect(() => watch('one')).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', details }));
    watches.push(watch('two'));
    expect(() => watch('two')).toThrow(full);
    watches[0]!.close();
    watches[0]!.close();
    watches.push(watch('one'));
    expect(() => watch('two')).toThrow(full);
    for (const each of watches) each.close();
  });

  it('continues after the database did not respond', async () => {
    const sample = await createSampleAction(test.database);
    let failures = 2;
    const $queryRaw = (...args: unknown[]) => {
      if (failures-- > 0) return Promise.reject(new Error('the connection was lost'));
      return (test.database.$queryRaw as unknown as (...all: unknown[]) => unknown).apply(test.database, args);
    };
    const feed = createActionFeed({ database: { $queryRaw } as never, pollMs: 10 });
    const watch = feed.watch({ customerId: sample.customerId, actionId: sample.id });
    await watch.changed(new AbortController().signal);
    watch.close();
    expect(failures).toBeLessThan(0);
  });
});
