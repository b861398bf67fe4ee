import fc from 'fast-check';
import { createSearchSchedule } from './search-schedule';

const START = new Date('2026-01-01T00:00:00Z').getTime();
const at = (seconds: number): Date => new Date(START + seconds * 1000);
const item = (key: string, createdAt = 0) => ({ key, customerId: 'customer', createdAt: at(createdAt) });

describe('the schedule of searches', () => {
  it('searches for new references in every pass, and for old ones less and less often, at least every ten minutes', () => {
    const schedule = createSearchSchedule();
    const searches: number[] = [];
    const reference = item('a');
    for (let second = 0; second <= 86_400; second += 2) {
      if (schedule.due([reference], at(second)).length === 0) continue;
      searches.push(second);
      schedule.markSearched([reference], at(second));
    }
    const gaps = searches.slice(1).map((second, index) => second - searches[index]!);
    expect(Math.max(...gaps.filter((_, index) => searches[index]! < 40))).toBe(2);
    expect(Math.max(...gaps)).toBe(600);
    expect(gaps.every((gap, index) => index === 0 || gap >= gaps[index - 1]!)).toBe(true);
    expect(searches.length).toBeLessThan(350);
  });

  it('searches for every reference eventually, however many are open', () => {
    const schedule = createSearchSchedule();
    const items = Array.from({ length: 1000 }, (_, index) => item(String(index)));
    const seen = new Set<string>();
    for (let pass = 0; pass < 8; pass++) {
      const due = schedule.due(items, at(pass * 2));
      expect(due.length).toBeLessThanOrEqual(225);
      schedule.markSearched(due, at(pass * 2));
      for (const { key } of due) seen.add(key);
    }
    expect(seen.size).toBe(1000);
  });

  it('lets customers take turns, so that one with many references delays no other', () => {
    const schedule = createSearchSchedule();
    const many = Array.from({ length: 20_000 }, (_, index) => item(String(index)));
    const other = { ...item('other'), customerId: 'another customer' };
    expect(schedule.due([...many, other], at(0))).toContain(other);
  });

  it('covers the time up to the oldest search of an open reference, and none while one was never searched for', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 20 }), (seconds) => {
        const schedule = createSearchSchedule();
        const items = seconds.map((_, index) => item(String(index)));
        items.forEach((each, index) => schedule.markSearched([each], at(seconds[index]!)));
        expect(schedule.coveredUntil(items)).toEqual(at(Math.min(...seconds)));
        expect(schedule.coveredUntil([...items, item('new')])).toBeUndefined();
      }),
    );
  });

  it('stores the rejected transactions of each reference', () => {
    const schedule = createSearchSchedule();
    schedule.reject('a', 'signature');
    expect(schedule.isRejected('a', 'signature')).toBe(true);
    expect(schedule.isRejected('b', 'signature')).toBe(false);
  });
});
