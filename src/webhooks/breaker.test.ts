import { type Breaker, hasFailedTooOften, nextBreaker } from './breaker';

const START = new Date('2026-01-31T12:00:00Z');
const after = (seconds: number): Date => new Date(START.getTime() + seconds * 1000);
const CLOSED: Breaker = { openUntil: null, openings: 0, windowStart: START, windowAttempts: 0, windowFailures: 0 };

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
    expect(nextBreaker(open, false, after(60))).toMatchObject({ openUntil: after(90), openings: 2 });
    expect(nextBreaker(open, true, after(60))).toMatchObject({ openUntil: null, openings: 0 });
  });

  it('gives an endpoint up when it has failed after ten pauses', () => {
    let breaker = afterAttempts('xxxxxxxxxx');
    for (let pause = 1; pause <= 9; pause += 1) breaker = nextBreaker(breaker, false, after(pause * 60));
    expect(hasFailedTooOften(breaker)).toBe(false);
    expect(hasFailedTooOften(nextBreaker(breaker, false, after(601)))).toBe(true);
  });
});
