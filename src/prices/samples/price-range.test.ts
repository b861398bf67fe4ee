import { isServiceError } from '../../errors/service-error';
import { parsePriceRange, type RequestedRange } from './price-range';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 6, 15, 12, 34, 56);
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();
type Request = readonly [range: RequestedRange, limit: number | undefined];
const problemOf = (range: RequestedRange, limit: number | undefined): string => {
  try {
    parsePriceRange(range, limit, NOW);
  } catch (error) {
    if (isServiceError(error)) return `${error.code}: ${error.message}`;
  }
  return 'none';
};

describe('the range of a price history', () => {
  it.each([
    [5, undefined, 300],
    [50, undefined, 3600],
    [2300, undefined, 86_400],
    [24, 500, 300],
    [24, 20, 86_400],
  ])('of the last %d hours with the limit %p has steps of %d seconds', (hours, limit, stepSeconds) => {
    const range = parsePriceRange({ from: ago(hours) }, limit, NOW);
    expect(range.stepSeconds).toBe(stepSeconds);
    expect(range.to.getTime()).toBe(Math.ceil(NOW / 60_000) * 60_000);
  });

  it.each<[string, Request]>([
    ['limit must be from 1 to 500', [{ from: ago(1) }, 0]],
    ['limit must be from 1 to 500', [{ from: ago(1) }, 501]],
    ['from must be before to', [{ from: ago(1), to: ago(1.5) }, undefined]],
    ['from must be before to', [{ from: ago(-1) }, undefined]],
    ['from must not be before 2000', [{ from: '-271820-01-01T00:00:00.000Z', to: ago(1) }, 500]],
    ['from must not be before 2000', [{ from: '1999-12-31T23:59:59.999Z' }, 500]],
    ['from and to must be ISO 8601 times', [{ from: 'yesterday' }, undefined]],
    ['from and to must be ISO 8601 times', [{ from: ago(1), to: 'today' }, undefined]],
    ['Use a longer step or a shorter range', [{ from: ago(24), step: 'FIVE_MINUTES' }, undefined]],
    ['Use a longer step or a shorter range', [{ from: '2000-01-01T00:00:00.000Z' }, 500]],
  ])('is refused: %s', (reason, request) => {
    expect(problemOf(...request)).toMatch(/^INVALID_PRICE_RANGE: /);
    expect(problemOf(...request)).toContain(reason);
  });

  it('never has more steps than the limit', () => {
    const from = new Date(Math.floor(NOW / HOUR) * HOUR - 10 * HOUR).toISOString();
    const to = new Date(Math.floor(NOW / HOUR) * HOUR).toISOString();
    expect(parsePriceRange({ from, to, step: 'HOUR' }, 10, NOW).stepSeconds).toBe(3600);
    expect(problemOf({ from, to, step: 'HOUR' }, 9)).toContain('it has 10 steps');
  });
});
