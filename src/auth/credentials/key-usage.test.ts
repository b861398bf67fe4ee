import { createKeyUsage } from './key-usage';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('notes a thousand uses of a key with one write a minute, and none while the request waits', async () => {
  const noteUse = jest.fn<Promise<void>, [readonly string[]]>(() => Promise.resolve());
  const usage = createKeyUsage({ noteUse });
  for (let use = 0; use < 1000; use += 1) usage.touch('a');
  expect(noteUse).not.toHaveBeenCalled();
  for (let second = 0; second < 59; second += 1) {
    await jest.advanceTimersByTimeAsync(1000);
    usage.touch('a');
  }
  expect(noteUse.mock.calls).toEqual([[['a']]]);
  for (let second = 0; second < 10; second += 1) {
    await jest.advanceTimersByTimeAsync(1000);
    usage.touch('a');
  }
  expect(noteUse.mock.calls).toEqual([[['a']], [['a']]]);
  await usage.stop();
});

test('writes what is left when it stops', async () => {
  const noteUse = jest.fn<Promise<void>, [readonly string[]]>(() => Promise.resolve());
  const usage = createKeyUsage({ noteUse });
  usage.touch('a');
  usage.touch('b');
  await usage.stop();
  expect(noteUse.mock.calls).toEqual([[['a', 'b']]]);
});

test('a failed write is made up for at the next use', async () => {
  const noteUse = jest.fn<Promise<void>, [readonly string[]]>(() => Promise.resolve());
  noteUse.mockRejectedValueOnce(new Error('database away'));
  const usage = createKeyUsage({ noteUse });
  usage.touch('a');
  await jest.advanceTimersByTimeAsync(2000);
  usage.touch('a');
  await usage.stop();
  expect(noteUse).toHaveBeenCalledTimes(2);
});
