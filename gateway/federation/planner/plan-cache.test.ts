import { createPlanCache, type Sized } from './plan-cache';

const sized = (name: string, size = 1): Promise<Sized<{ name: string }>> => Promise.resolve({ value: { name }, size });

describe('the plan cache', () => {
  it('creates a value once for concurrent callers, and returns it synchronously afterwards', async () => {
    const cache = createPlanCache<{ name: string }>({ entries: 10, characters: 100 });
    const create = jest.fn(() => sized('a'));
    await Promise.all([cache.get('k', create), cache.get('k', create), cache.get('k', create)]);
    expect(create).toHaveBeenCalledTimes(1);
    expect(cache.get('k', create)).toEqual({ name: 'a' });
  });

  it('does not cache failures', async () => {
    const cache = createPlanCache<{ name: string }>({ entries: 10, characters: 100 });
    const failing = () => Promise.reject(new Error('no'));
    await expect(Promise.all([cache.get('k', failing), cache.get('k', failing)])).rejects.toThrow('no');
    await expect(cache.get('k', () => sized('b'))).resolves.toEqual({ name: 'b' });
  });

  it.each([
    ['entries', { entries: 3, characters: 1e9 }, 1],
    ['characters', { entries: 1e6, characters: 30 }, 10],
  ])('drops the least recently used value when there are too many %s', async (_name, limits, size) => {
    const cache = createPlanCache<{ name: string }>(limits);
    for (const key of ['a', 'b', 'c', 'a', 'd']) await cache.get(key, () => sized(key, size));
    const created: string[] = [];
    for (const key of ['a', 'c', 'd', 'b']) {
      await cache.get(key, () => {
        created.push(key);
        return sized(key, size);
      });
    }
    expect(created).toEqual(['b']);
  });

  it('does not cache a value that is larger than its limit', async () => {
    const cache = createPlanCache<{ name: string }>({ entries: 10, characters: 100 });
    const create = jest.fn(() => sized('huge', 101));
    await cache.get('k', create);
    await cache.get('k', create);
    expect(create).toHaveBeenCalledTimes(2);
  });
});
