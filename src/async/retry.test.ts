import fc from 'fast-check';
import { backoffMs } from './backoff';
import { retry } from './retry';
import { sleep } from './sleep';

const forever = new AbortController().signal;

/** An attempt that fails the given number of times. */
function failing(times: number) {
  const seen = { attempts: 0 };
  const attempt = (): Promise<number> => {
    seen.attempts += 1;
    return seen.attempts > times
      ? Promise.resolve(seen.attempts)
      : Promise.reject(new Error(`no. ${String(seen.attempts)}`));
  };
  return { seen, attempt };
}

describe('retry', () => {
  it('returns the first success and stops there', async () => {
    const { attempt, seen } = failing(2);
    expect(await retry(attempt, { delaysMs: [1, 1, 1], isRetryable: () => true, signal: forever })).toBe(3);
    expect(seen.attempts).toBe(3);
  });

  it('throws the last failure after as many repetitions as there are delays, and reports each', async () => {
    const { attempt } = failing(9);
    const reported: unknown[] = [];
    const isRetryable = (error: unknown, nextInMs: number | undefined): boolean => {
      reported.push([(error as Error).message, nextInMs]);
      return true;
    };
    await expect(retry(attempt, { delaysMs: [2, 1], isRetryable, signal: undefined })).rejects.toThrow('no. 3');
    expect(reported).toEqual([
      ['no. 1', 2],
      ['no. 2', 1],
      ['no. 3', undefined],
    ]);
  });

  it('repeats nothing that is not retryable', async () => {
    const { attempt, seen } = failing(9);
    await expect(retry(attempt, { delaysMs: [1], isRetryable: () => false, signal: forever })).rejects.toThrow('no. 1');
    expect(seen.attempts).toBe(1);
  });

  it('ends during a delay when the signal aborts', async () => {
    const { attempt, seen } = failing(9);
    const controller = new AbortController();
    const ended = retry(attempt, { delaysMs: [60_000], isRetryable: () => true, signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    await expect(ended).rejects.toThrow('no. 1');
    expect(seen.attempts).toBe(1);
  });
});

describe('sleep', () => {
  it('resolves after the time, and at once when its signal aborts', async () => {
    await sleep(1, forever);
    await sleep(60_000, AbortSignal.abort());
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    await sleep(60_000, controller.signal);
  });
});

describe('backoffMs', () => {
  it('doubles with each failure up to the maximum', () => {
    expect([0, 1, 2, 3].map((failures) => backoffMs({ baseMs: 100, maxMs: 500, failures }))).toEqual([
      100, 200, 400, 500,
    ]);
  });

  it('never shrinks, exceeds the maximum or overflows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000 }), fc.nat(1_000_000), (baseMs, failures) => {
        const maxMs = 120_000;
        const delay = backoffMs({ baseMs, maxMs, failures });
        expect(delay).toBeGreaterThanOrEqual(Math.min(maxMs, baseMs));
        expect(delay).toBeLessThanOrEqual(maxMs);
        expect(backoffMs({ baseMs, maxMs, failures: failures + 1 })).toBeGreaterThanOrEqual(delay);
      }),
    );
  });
});
