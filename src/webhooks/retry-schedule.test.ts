import fc from 'fast-check';
import { MAX_ATTEMPTS, retryDelayMs } from './retry-schedule';

const HOUR = 3_600_000;
const delays = (random: number) =>
  Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) =>
    retryDelayMs({ attempts: index + 1, retryAfterSeconds: undefined, random }),
  );

describe('the retries of a webhook', () => {
  it('come after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and end after ten attempts', () => {
    expect(delays(0.5)).toEqual([5000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)]);
    expect(retryDelayMs({ attempts: 10, retryAfterSeconds: 60, random: 0.5 })).toBeUndefined();
  });

  it('vary by at most a fifth', () => {
    const exact = delays(0.5).map((delay) => delay ?? 0);
    expect(delays(0)).toEqual(exact.map((delay) => delay * 0.8));
    expect(delays(1)).toEqual(exact.map((delay) => delay * 1.2));
  });

  it('come later when the receiver requests it, and never later than twice the step', () => {
    const delay = (retryAfterSeconds: number) => retryDelayMs({ attempts: 2, retryAfterSeconds, random: 0.5 });
    expect([0, 1, 299, 301, 450, 600, 601, 999_999_999].map(delay)).toEqual(
      [300, 300, 300, 301, 450, 600, 600, 600].map((seconds) => seconds * 1000),
    );
  });

  it('stay between four fifths of the step and twice the step, whatever the receiver requests', () => {
    const attempts = fc.integer({ min: 1, max: 9 });
    const retryAfterSeconds = fc.option(fc.integer({ min: 0, max: 999_999_999 }), { nil: undefined });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.record({ attempts, retryAfterSeconds, random }), (failed) => {
        const step = retryDelayMs({ ...failed, retryAfterSeconds: undefined, random: 0.5 }) ?? 0;
        const delay = retryDelayMs(failed) ?? 0;
        expect(delay).toBeGreaterThanOrEqual(step * 0.8 - 1);
        expect(delay).toBeLessThanOrEqual(step * 2);
      }),
    );
  });
});
