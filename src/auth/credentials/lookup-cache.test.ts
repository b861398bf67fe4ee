import { createLookupCache } from './lookup-cache';

function counted(find: (key: string) => Promise<string | undefined>) {
  const calls: string[] = [];
  const get = createLookupCache({
    find: (key) => {
      calls.push(key);
      return find(key);
    },
    foundTtlMs: 4000,
    missingTtlMs: 10_000,
    capacity: 100,
    timeoutMs: 5000,
  });
  return { get, calls };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => jest.useRealTimers());

test('runs one lookup for concurrent requests of the same key', async () => {
  const { get, calls } = counted((key) => Promise.resolve(`value of ${key}`));
  const values = await Promise.all(Array.from({ length: 100 }, () => get('a')));
  expect(new Set(values)).toEqual(new Set(['value of a']));
  expect(calls).toEqual(['a']);
});

test('expires a value four seconds after the start of its lookup', async () => {
  const { get, calls } = counted(async () => {
    await jest.advanceTimersByTimeAsync(3000);
    return 'value';
  });
  await get('a');
  jest.advanceTimersByTime(999);
  await get('a');
  expect(calls).toHaveLength(1);
  jest.advanceTimersByTime(1);
  await get('a');
  expect(calls).toHaveLength(2);
});

test('caches a missing value for ten seconds', async () => {
  const stored = new Map<string, string>();
  const { get, calls } = counted((key) => Promise.resolve(stored.get(key)));
  expect(await get('a')).toBeUndefined();
  stored.set('a', 'made since');
  jest.advanceTimersByTime(9999);
  expect(await get('a')).toBeUndefined();
  jest.advanceTimersByTime(1);
  expect(await get('a')).toBe('made since');
  expect(calls).toHaveLength(2);
});

test('missing keys do not evict found ones', async () => {
  const { get, calls } = counted((key) => Promise.resolve(key === 'good' ? 'value' : undefined));
  await get('good');
  for (let invented = 0; invented < 1000; invented += 1) await get(`invented ${String(invented)}`);
  await get('good');
  expect(calls.filter((key) => key === 'good')).toHaveLength(1);
});

test('reports a failed lookup as SERVICE_UNAVAILABLE and repeats it for the next request', async () => {
  let isDown = true;
  const { get } = counted(() => (isDown ? Promise.reject(new Error('refused')) : Promise.resolve('value')));
  await expect(get('a')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  isDown = false;
  await expect(get('a')).resolves.toBe('value');
});

test('reports a lookup that does not end as SERVICE_UNAVAILABLE at its time limit', async () => {
  const { get } = counted(() => new Promise(() => undefined));
  const refused = expect(get('a')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { retryAfter: 1 } });
  await jest.advanceTimersByTimeAsync(5000);
  await refused;
});
