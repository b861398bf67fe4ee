import { balanceAge } from './balance-age';

const NOW = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number): number => NOW - seconds * 1000;
const age = (block: number, read: number, isAvailable = true) =>
  balanceAge({ blockTime: new Date(ago(block)), readAt: ago(read), isAvailable }, NOW);

describe('the age of balances', () => {
  it('is that of their block', () => {
    expect(age(12, 0)).toEqual({ isStale: false, ageSeconds: 12 });
    expect(age(120, 0)).toEqual({ isStale: false, ageSeconds: 120 });
  });

  it('marks balances of a node that stands still as stale', () => {
    expect(age(121, 0)).toEqual({ isStale: true, ageSeconds: 121 });
    expect(age(86_400, 1)).toEqual({ isStale: true, ageSeconds: 86_400 });
  });

  it('marks the last known balances of an unavailable chain as stale, whatever their age', () => {
    expect(age(5, 3, false)).toEqual({ isStale: true, ageSeconds: 5 });
  });

  it('is never negative, and at least the time since they were read: the clock of a chain may be ahead', () => {
    expect(age(-30, 0)).toEqual({ isStale: false, ageSeconds: 0 });
    expect(age(-30, 400, false)).toEqual({ isStale: true, ageSeconds: 400 });
  });
});
