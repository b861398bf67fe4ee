import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { coalesceCounts, type WindowCount } from './coalesced-count';

/** A window that counts like the database does, and remembers what it was asked. */
function createWindow() {
  const asked: number[] = [];
  const consumed = new Map<string, number>();
  return {
    asked,
    async count(key: string, _limit: number, cost: number): Promise<WindowCount> {
      asked.push(cost);
      await setImmediate();
      consumed.set(key, (consumed.get(key) ?? 0) + cost);
      return { consumed: consumed.get(key)!, resetMs: 1000 };
    },
  };
}

test('answers requests that arrive together as if they had come one after the other', async () => {
  const costs = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(costs, fc.integer({ min: 1, max: 60 }), async (together, limit) => {
      const consume = coalesceCounts((key, bound, cost) => createdWindow.count(key, bound, cost));
      const createdWindow = createWindow();
      const answers = await Promise.all(together.map((cost) => consume('key', limit, cost)));
      let counted = 0;
      const expected = together.map((cost) => {
        counted += cost;
        return { allowed: counted <= limit, remaining: Math.max(limit - counted, 0), resetMs: 1000 };
      });
      expect(answers).toEqual(expected);
    }),
  );
});

test('a thousand requests at once cost two statements', async () => {
  const window = createWindow();
  const consume = coalesceCounts((key, limit, cost) => window.count(key, limit, cost));
  const answers = await Promise.all(Array.from({ length: 1000 }, () => consume('key', 100, 1)));
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(100);
  expect(window.asked).toEqual([1, 999]);
});

test('keys do not wait for each other', async () => {
  const window = createWindow();
  const consume = coalesceCounts((key, limit, cost) => window.count(key, limit, cost));
  await Promise.all([consume('a', 100, 1), consume('b', 100, 1)]);
  expect(window.asked).toEqual([1, 1]);
});

test('a failure reaches everyone who was counted together, and nobody after them', async () => {
  const window = createWindow();
  let isDown = true;
  const consume = coalesceCounts((key, limit, cost) => {
    return isDown ? Promise.reject(new Error('database away')) : window.count(key, limit, cost);
  });
  const answers = await Promise.allSettled([consume('key', 100, 1), consume('key', 100, 1)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  await expect(consume('key', 100, 1)).resolves.toMatchObject({ allowed: true });
});
