import { createLastUsedKeys } from './last-used-keys';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('records a thousand uses of a key with one write a minute, none of them during a request', async () => {
  const recordUse = jest.fn<Promise<void>, [readonly string[]]>(() => Promise.resolve());
  const lastUsedKeys = createLastUsedKeys({ recordUse });
  for (let use = 0; use < 1000; use += 1) lastUsedKeys.touch('a');
  expect(recordUse).not.toHaveBeenCalled();
  for (let second = 0; second < 59; second += 1) {
    await jest.advanceTimersByTimeAsync(1000);
    lastUsedKeys.touch('a');
  }
  expect(recordUse.mock.calls).toEqual([[['a']]]);
  for (let second = 0; second < 10; second += 1) {
    await jest.advanceTimersByTimeAsync(1000);
    lastUsedKeys.touch('a');
  }
  expect(recordUse.mock.calls).toEqual([[['a']], [['a']]]);
  await lastUsedKeys.stop();
});

test('writes pending uses when it stops', async () => {
  const recordUse = jest.fn<Promise<void>, [readonly string[]]>(() => Promise.resolve());
  const lastUsedKeys = createLastUsedKeys({ recordUse });
  lastUsedKeys.touch('a');
  lastUsedKeys.touch('b');
  await lastUsedKeys.stop();
  expect(recordUse.mock.calls).toEqual([[['a', 'b']]]);
});

test('records the next use after a failed write', async () => {
  const recordUse = jest.fn<Promise<void>, [readonly string[]]>(() => Promise.resolve());
  recordUse.mockRejectedValueOnce(new Error('database away'));
  const lastUsedKeys = createLastUsedKeys({ recordUse });
  lastUsedKeys.touch('a');
  await jest.advanceTimersByTimeAsync(2000);
  lastUsedKeys.touch('a');
  await lastUsedKeys.stop();
  expect(recordUse).toHaveBeenCalledTimes(2);
});

test('waits, when it is stopped, for the write in progress, and writes what was used meanwhile', async () => {
  const ends: (() => void)[] = [];
  const recordUse = jest.fn<Promise<void>, [readonly string[]]>(() => new Promise((resolve) => ends.push(resolve)));
  const lastUsedKeys = createLastUsedKeys({ recordUse });
  lastUsedKeys.touch('a');
  await jest.advanceTimersByTimeAsync(2000);
  lastUsedKeys.touch('b');
  await jest.advanceTimersByTimeAsync(10_000);
  expect(recordUse.mock.calls).toEqual([[['a']]]);
  let isStopped = false;
  const stopped = lastUsedKeys.stop().then(() => (isStopped = true));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(isStopped).toBe(false);
  ends[0]?.();
  await jest.advanceTimersByTimeAsync(0);
  expect(recordUse.mock.calls).toEqual([[['a']], [['b']]]);
  ends[1]?.();
  await stopped;
});
