import fc from 'fast-check';
import { createLookBook } from './search-schedule';

const START = new Date('2026-01-01T00:00:00Z').getTime();
const at = (seconds: number): Date => new Date(START + seconds * 1000);
const sought = (key: string, bornAt = 0) => ({ key, createdAt: at(bornAt) });

describe('the book of looks', () => {
  it('has what is young looked for in every pass, and what is old ever more seldom, but every ten minutes', () => {
    const book = createLookBook();
    const looks: number[] = [];
    const item = sought('a');
    for (let second = 0; second <= 86_400; second += 2) {
      if (book.due([item], at(second)).length === 0) continue;
      looks.push(second);
      book.looked([item], at(second));
    }
    const gaps = looks.slice(1).map((second, index) => second - looks[index]!);
    expect(Math.max(...gaps.filter((_, index) => looks[index]! < 40))).toBe(2);
    expect(Math.max(...gaps)).toBe(600);
    expect(gaps.every((gap, index) => index === 0 || gap >= gaps[index - 1]!)).toBe(true);
    expect(looks.length).toBeLessThan(350);
  });

  it('lets nothing wait for ever, however much there is to look for', () => {
    const book = createLookBook();
    const items = Array.from({ length: 1000 }, (_, index) => sought(String(index)));
    const seen = new Set<string>();
    for (let pass = 0; pass < 8; pass++) {
      const due = book.due(items, at(pass * 2));
      expect(due.length).toBeLessThanOrEqual(250);
      book.looked(due, at(pass * 2));
      for (const { key } of due) seen.add(key);
    }
    expect(seen.size).toBe(1000);
  });

  it('covers no moment after the oldest look at anything that is open, and none while something was never looked for', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 20 }), (seconds) => {
        const book = createLookBook();
        const items = seconds.map((_, index) => sought(String(index)));
        items.forEach((item, index) => book.looked([item], at(seconds[index]!)));
        expect(book.coveredUntil(items)).toEqual(at(Math.min(...seconds)));
        expect(book.coveredUntil([...items, sought('new')])).toBeUndefined();
      }),
    );
  });

  it('remembers which transaction is nothing to whom', () => {
    const book = createLookBook();
    book.reject('a', 'signature');
    expect(book.isRejected('a', 'signature')).toBe(true);
    expect(book.isRejected('b', 'signature')).toBe(false);
  });
});
