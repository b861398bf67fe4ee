import { type Breaker, hasFailedTooLong, nextBreaker } from './breaker';

const START = new Date('2026-01-31T12:00:00Z');
const after = (seconds: number): Date => new Date(START.getTime() + seconds * 1000);
const CLOSED: Breaker = {
  openUntil: null,
  openings: 0,
  failingSince: null,
  windowStart: START,
  windowAttempts: 0,
  windowFailures: 0,
};

/** The breaker after attempts one second apart: `x` failed, `.` succeeded. */
const afterAttempts = (attempts: string, breaker = CLOSED): Breaker =>
  Array.from(attempts).reduce((state, result, index) => nextBreaker(state, result === '.', after(index)), breaker);

const isOpen = ({ openUntil }: Breaker): boolean => openUntil !== null;

describe('the breaker of an endpoint', () => {
  it('opens for 30 s at seven failures in ten attempts', () => {
    expect(isOpen(afterAttempts('xxxxxxxxx'))).toBe(false);
    expect(isOpen(afterAttempts('....xxxxxx'))).toBe(false);
    expect(afterAttempts('...xxxxxxx')).toMatchObject({ openUntil: after(39), openings: 1 });
  });

  it('counts the attempts of five minutes', () => {
    const nine = afterAttempts('xxxxxxxxx');
    expect(isOpen(nextBreaker(nine, false, after(299)))).toBe(true);
    expect(nextBreaker(nine, false, after(300))).toMatchObject({
      openUntil: null,
      windowAttempts: 1,
      windowFailures: 1,
    });
  });

  it('ignores failures of attempts that were in flight when it opened', () => {
    const open = afterAttempts('xxxxxxxxxx');
    expect(nextBreaker(open, false, after(20))).toBe(open);
  });

  it('opens again at the first failure after the pause, and closes at a success', () => {
    const open = afterAttempts('xxxxxxxxxx');
    expect(nextBreaker(open, false, after(60))).toMatchObject({
      openUntil: after(120),
      openings: 2,
      failingSince: after(9),
    });
    expect(nextBreaker(open, true, after(60))).toMatchObject({ openUntil: null, openings: 0, failingSince: null });
  });

  it('pauses longer and longer, up to an hour', () => {
    let breaker = afterAttempts('xxxxxxxxxx');
    const pauses: number[] = [];
    for (let count = 0; count < 9; count += 1) {
      const now = breaker.openUntil!;
      breaker = nextBreaker(breaker, false, now);
      pauses.push((breaker.openUntil!.getTime() - now.getTime()) / 1000);
    }
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  });

  it('gives an endpoint up when it has failed for five days, however often, and not before', () => {
    const DAYS = 5 * 86_400;
    let breaker = afterAttempts('xxxxxxxxxx');
    for (let hour = 1; hour < 120; hour += 1) {
      const now = after(hour * 3600);
      breaker = nextBreaker(breaker, false, now);
      expect(hasFailedTooLong(breaker, now)).toBe(false);
    }
    const [end, recovered] = [after(9 + DAYS), nextBreaker(breaker, true, after(DAYS))];
    expect(hasFailedTooLong(nextBreaker(breaker, false, end), end)).toBe(true);
    expect(hasFailedTooLong(nextBreaker(recovered, false, end), end)).toBe(false);
  });
});
