import { sharedTask } from './shared-task';

const forever = new AbortController().signal;

describe('a shared task', () => {
  it('runs once for everybody who waits, and tells each', async () => {
    let runs = 0;
    const task = sharedTask(() => Promise.resolve((runs += 1)));
    expect(await Promise.all([task.join(forever), task.join(forever)])).toEqual([1, 1]);
    expect(await task.join(forever)).toBe(1);
  });

  it('tells everybody of its failure', async () => {
    const task = sharedTask(() => Promise.reject(new Error('no')));
    await expect(task.join(forever)).rejects.toThrow('no');
    await expect(task.join(forever)).rejects.toThrow('no');
    expect(task.isAbandoned).toBe(false);
  });

  it('lets one go who gave up, and goes on for the others', async () => {
    let finish: (value: string) => void = () => undefined;
    let stopped = false;
    const task = sharedTask((signal) => {
      signal.addEventListener('abort', () => (stopped = true));
      return new Promise<string>((resolve) => (finish = resolve));
    });
    const impatient = new AbortController();
    const [gone, stays] = [task.join(impatient.signal), task.join(forever)];
    impatient.abort(new Error('too slow'));
    await expect(gone).rejects.toThrow('too slow');
    expect([stopped, task.isAbandoned]).toEqual([false, false]);
    finish('done');
    expect(await stays).toBe('done');
  });

  it('is given up with the last one who waits', async () => {
    let stopped = false;
    const task = sharedTask((signal) => {
      signal.addEventListener('abort', () => (stopped = true));
      return new Promise<never>(() => undefined);
    });
    await expect(task.join(AbortSignal.abort(new Error('never mind')))).rejects.toThrow('never mind');
    expect([stopped, task.isAbandoned]).toEqual([true, true]);
  });
});
