import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { coalesceCounts, type CountedBatch, type WindowCount } from './coalesced-count';

/** A window that counts like the database, and records the number of requests of its calls. */
function createWindow() {
  const calls: number[] = [];
  const totals = new Map<string, number>();
  return {
    calls,
    async count(key: string, limit: number, { cost, requests }: CountedBatch): Promise<WindowCount> {
      calls.push(requests);
      await setImmediate();
      const before = totals.get(key) ?? 0;
      const admitted = Math.min(requests, Math.floor((limit - before) / cost));
      totals.set(key, before + admitted * cost);
      return { admitted, consumed: totals.get(key)!, resetMs: 1000, isLocal: false };
    },
  };
}

test('decides concurrent requests as if they had arrived one after the other', async () => {
  const costs = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(costs, fc.integer({ min: 1, max: 60 }), async (together, limit) => {
      const consume = coalesceCounts((key, bound, batch) => createdWindow.count(key, bound, batch));
      const createdWindow = createWindow();
      const decisions = await Promise.all(together.map((cost) => consume('key', limit, cost)));
      let counted = 0;
      const expected = together.map((cost) => {
        const allowed = counted + cost <= limit;
        if (allowed) counted += cost;
        return { allowed, remaining: limit - counted, resetMs: 1000, isLocal: false };
      });
      expect(decisions).toEqual(expected);
    }),
  );
});

test('a thousand concurrent requests run two statements', async () => {
  const window = createWindow();
  const consume = coalesceCounts((key, limit, batch) => window.count(key, limit, batch));
  const decisions = await Promise.all(Array.from({ length: 1000 }, () => consume('key', 100, 1)));
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(100);
  expect(window.calls).toEqual([1, 999]);
});

test('keys are counted independently', async () => {
  const window = createWindow();
  const consume = coalesceCounts((key, limit, batch) => window.count(key, limit, batch));
  await Promise.all([consume('a', 100, 1), consume('b', 100, 1)]);
  expect(window.calls).toEqual([1, 1]);
});

test('a failure rejects all requests of its batch, and no later one', async () => {
  const window = createWindow();
  let isDown = true;
  const consume = coalesceCounts((key, limit, batch) => {
    return isDown ? Promise.reject(new Error('database away')) : window.count(key, limit, batch);
  });
  const decisions = await Promise.allSettled([consume('key', 100, 1), consume('key', 100, 1)]);
  expect(decisions.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  await expect(consume('key', 100, 1)).resolves.toMatchObject({ allowed: true });
});
