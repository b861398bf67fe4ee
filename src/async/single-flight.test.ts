import { createSingleFlight, shareRuns } from './single-flight';

/** A run that settles when the test says so, and records how often it was started and aborted. */
function controlledRun() {
  const seen = { starts: 0, aborts: 0 };
  const settle: { resolve: (value: string) => void; reject: (reason: Error) => void }[] = [];
  const run = (signal?: AbortSignal): Promise<string> => {
    seen.starts += 1;
    signal?.addEventListener('abort', () => (seen.aborts += 1));
    return new Promise((resolve, reject) => settle.push({ resolve, reject }));
  };
  return { run, seen, settle };
}

describe('a single flight', () => {
  it('runs once for callers of the same key, and separately for another key', async () => {
    const { run, seen, settle } = controlledRun();
    const flight = createSingleFlight<string>();
    const joined = [flight.join('a', run), flight.join('a', run), flight.join('b', run)];
    expect(seen.starts).toBe(2);
    settle[0]?.resolve('first');
    settle[1]?.resolve('second');
    expect(await Promise.all(joined)).toEqual(['first', 'first', 'second']);
  });

  it('has forgotten a settled run before its callers resume', async () => {
    const { run, seen, settle } = controlledRun();
    const flight = createSingleFlight<string>();
    const again = flight.join('a', run).then(() => flight.join('a', run));
    settle[0]?.resolve('old');
    await new Promise(setImmediate);
    expect([seen.starts, flight.current('a')?.isAbandoned]).toEqual([2, false]);
    settle[1]?.resolve('new');
    expect(await again).toBe('new');
    expect(flight.current('a')).toBeUndefined();
  });

  it('shares a failure among its callers and does not keep it', async () => {
    const { run, settle } = controlledRun();
    const flight = createSingleFlight<string>();
    const joined = [flight.join('a', run), flight.join('a', run)];
    settle[0]?.reject(new Error('no'));
    await expect(joined[0]).rejects.toThrow('no');
    await expect(joined[1]).rejects.toThrow('no');
    expect(flight.current('a')).toBeUndefined();
  });

  it('does not keep a run that throws before it returns a promise', () => {
    const flight = createSingleFlight<string>();
    const broken = (): never => {
      throw new TypeError('broken');
    };
    expect(() => flight.join('a', broken)).toThrow('broken');
    expect(flight.current('a')).toBeUndefined();
  });

  it('aborts a run that all callers have left, and starts another for the next caller', async () => {
    const { run, seen, settle } = controlledRun();
    const flight = createSingleFlight<string>(() => 'abandoned');
    const leaving = new AbortController();
    const left = [flight.join('a', run, leaving.signal), flight.join('a', run, leaving.signal)];
    leaving.abort(new Error('gone'));
    for (const each of left) await expect(each).rejects.toThrow('gone');
    const next = flight.join('a', run);
    expect(seen).toEqual({ starts: 2, aborts: 1 });
    settle[0]?.reject(new Error('aborted')); // must not remove the run that took its place
    await new Promise(setImmediate);
    const shared = flight.join('a', run);
    settle[1]?.resolve('done');
    expect(await Promise.all([next, shared])).toEqual(['done', 'done']);
    expect(seen.starts).toBe(2);
  });
});

describe('shared runs', () => {
  it('are one run for calls that overlap, and another for a call after its end', async () => {
    const { run, seen, settle } = controlledRun();
    const shared = shareRuns(run);
    const overlapping = [shared(), shared()];
    settle[0]?.resolve('first');
    expect(await Promise.all(overlapping)).toEqual(['first', 'first']);
    const later = shared();
    settle[1]?.resolve('second');
    expect(await later).toBe('second');
    expect(seen.starts).toBe(2);
  });
});
