import fc from 'fast-check';
import { nextPollAfterFailureMs, nextPollMs, nextPollForReceiverMs } from './next-poll';

const intervals = fc.integer({ min: 1, max: 5000 });
const counts = fc.integer({ min: 0, max: 100_000 });

describe('the interval between two polls of a delivery', () => {
  it('starts at the configured interval, grows with the polls, and stays below 66 seconds', () => {
    fc.assert(
      fc.property(intervals, counts, (pollMs, count) => {
        const next = nextPollMs(pollMs, count);
        expect(next).toBeGreaterThanOrEqual(pollMs);
        expect(next).toBeLessThanOrEqual(66_000);
      }),
    );
    expect(nextPollMs(2000, 5)).toBeLessThanOrEqual(2200);
    expect(nextPollMs(2000, 45)).toBeGreaterThanOrEqual(8000);
    expect(nextPollMs(2000, 1_000_000)).toBeGreaterThanOrEqual(60_000);
  });

  it('is at least five minutes for a transfer that is left to its receiver, and grows to about half an hour', () => {
    fc.assert(
      fc.property(intervals, counts, (pollMs, count) => {
        const next = nextPollForReceiverMs(pollMs, count);
        expect(next).toBeGreaterThanOrEqual(300_000);
        expect(next).toBeLessThanOrEqual(1_980_000);
      }),
    );
    expect(nextPollForReceiverMs(2000, 11)).toBeLessThanOrEqual(330_000);
    expect(nextPollForReceiverMs(2000, 1000)).toBeGreaterThanOrEqual(1_800_000);
  });

  it('is longer after a failure, but never longer than a minute', () => {
    fc.assert(
      fc.property(intervals, counts, (pollMs, count) => {
        const next = nextPollAfterFailureMs(pollMs, count);
        expect(next).toBeGreaterThanOrEqual(Math.min(60_000, 2 * pollMs));
        expect(next).toBeGreaterThanOrEqual(500);
        expect(next).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});
