import { startSharedTask } from './shared-task';

const forever = new AbortController().signal;

describe('a shared task', () => {
  it('runs once and gives its result to every caller', async () => {
    let runs = 0;
    const task = startSharedTask(() => Promise.resolve((runs += 1)));
    expect(await Promise.all([task.join(forever), task.join()])).toEqual([1, 1]);
    expect(await task.join(forever)).toBe(1);
  });

  it('rejects every caller with its failure', async () => {
    const task = startSharedTask(() => Promise.reject(new Error('no')));
    await expect(task.join(forever)).rejects.toThrow('no');
    await expect(task.join()).rejects.toThrow('no');
    expect(task.isAbandoned).toBe(false);
  });

  it('releases a caller whose signal aborts, and continues for the others', async () => {
    let finish: (value: string) => void = () => undefined;
    let stopped = false;
    const task = startSharedTask((signal) => {
      signal.addEventListener('abort', () => (stopped = true));
      return new Promise<string>((resolve) => (finish = resolve));
    });
    const leaving = new AbortController();
    const [left, stays] = [task.join(leaving.signal), task.join(forever)];
    leaving.abort(new Error('too slow'));
    await expect(left).rejects.toThrow('too slow');
    expect([stopped, task.isAbandoned]).toEqual([false, false]);
    finish('done');
    expect(await stays).toBe('done');
  });

  it('is aborted, with the given reason, when its last caller leaves', async () => {
    let reason: unknown;
    const run = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => (reason = signal.reason));
      return new Promise<never>(() => undefined);
    };
    const task = startSharedTask(run, { abandonReason: () => 'abandoned' });
    await expect(task.join(AbortSignal.abort(new Error('never mind')))).rejects.toThrow('never mind');
    expect([reason, task.isAbandoned]).toEqual(['abandoned', true]);
  });

  it('is never abandoned while a caller without a signal waits', async () => {
    let finish: (value: string) => void = () => undefined;
    const task = startSharedTask(() => new Promise<string>((resolve) => (finish = resolve)));
    const stays = task.join();
    await expect(task.join(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(task.isAbandoned).toBe(false);
    finish('done');
    expect(await stays).toBe('done');
  });
});
