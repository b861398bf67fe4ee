import fc from 'fast-check';
import { createFairQueue } from './fair-queue';

test('serves its callers in turns, and each caller in order', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.charAt(0), item);
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('x')]).toEqual([6, 3, 0]);
  expect(Array.from({ length: 7 }, () => queue.take())).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', undefined]);
});

test('an item waits for at most one item of each other caller and for those of its own caller', () => {
  const adding = fc.array(fc.record({ caller: fc.constantFrom('a', 'b', 'c'), takesFirst: fc.boolean() }));
  fc.assert(
    fc.property(adding, (steps) => {
      const queue = createFairQueue<{ caller: string; bound: number }>();
      const waiting = new Set<{ caller: string; bound: number; takes: number }>();
      const take = () => {
        const taken = queue.take();
        for (const item of waiting) item.takes += 1;
        for (const item of waiting) {
          if (item !== taken) continue;
          waiting.delete(item);
          expect(item.takes).toBeLessThanOrEqual(item.bound);
        }
      };
      for (const { caller, takesFirst } of steps) {
        if (takesFirst) take();
        const item = { caller, bound: 3 * (queue.sizeOf(caller) + 1), takes: 0 };
        queue.add(caller, item);
        waiting.add(item);
      }
      while (queue.size > 0) take();
      expect(waiting.size).toBe(0);
    }),
  );
});

test('returns the items that it removes', () => {
  const queue = createFairQueue<number>();
  queue.add('a', 1);
  queue.add('b', 2);
  expect([queue.clear(), queue.size, queue.take()]).toEqual([[1, 2], 0, undefined]);
});

test('an item is taken after as many others as the queue reports ahead of its caller', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), fc.nat(9), (callers, takes) => {
      const queue = createFairQueue<string>();
      for (const caller of callers) queue.add(caller, 'other');
      for (let take = 0; take < takes; take += 1) queue.take();
      const ahead = queue.aheadOf('a');
      queue.add('a', 'it');
      let taken = 0;
      while (queue.peek() !== 'it') {
        expect(queue.take()).toBe('other');
        taken += 1;
      }
      expect(taken).toBeLessThanOrEqual(ahead);
    }),
  );
});

test('removes single items, and the newest one of the caller with the most', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.add(item.charAt(0), item);
  queue.remove('a', 'a2');
  queue.remove('a', 'a2');
  queue.remove('x', 'x1');
  expect(queue.size).toBe(4);
  queue.add('b', 'b3');
  expect([queue.takeNewestAbove(2), queue.takeNewestAbove(2), queue.takeNewestAbove(1)]).toEqual([
    'b3',
    undefined,
    'a3',
  ]);
  queue.remove('a', 'a1');
  expect([queue.take(), queue.take(), queue.take()]).toEqual(['b1', 'b2', undefined]);
});
