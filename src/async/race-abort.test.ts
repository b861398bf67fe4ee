import { getEventListeners } from 'node:events';
import { rejectOnAbort, resolveOnAbort } from './race-abort';

const forever = new Promise<string>(() => undefined);

describe.each([
  ['rejectOnAbort', rejectOnAbort],
  ['resolveOnAbort', resolveOnAbort],
])('%s', (_, raceAbort) => {
  it('settles as the work does, and removes its listener', async () => {
    const { signal } = new AbortController();
    const [done, failed] = [
      raceAbort(Promise.resolve('done'), signal),
      raceAbort(Promise.reject(new Error('no')), signal),
    ];
    expect(getEventListeners(signal, 'abort')).toHaveLength(2);
    expect(await done).toBe('done');
    await expect(failed).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ignores a failure of the work after the abort', async () => {
    const controller = new AbortController();
    let fail: (reason: Error) => void = () => undefined;
    const ended = raceAbort(new Promise<string>((_resolve, reject) => (fail = reject)), controller.signal);
    controller.abort(new Error('over'));
    await ended.catch(() => undefined);
    fail(new Error('late')); // an unhandled rejection would fail the test run
    await new Promise(setImmediate);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});

describe('the end of waiting', () => {
  it('rejects with the reason of the signal, also when it had aborted before', async () => {
    const controller = new AbortController();
    const ended = rejectOnAbort(forever, controller.signal);
    controller.abort(new Error('over'));
    await expect(ended).rejects.toThrow('over');
    await expect(rejectOnAbort(forever, controller.signal)).rejects.toThrow('over');
  });

  it('resolves to undefined where that is wanted, also when the signal had aborted before', async () => {
    const controller = new AbortController();
    const ended = resolveOnAbort(forever, controller.signal);
    controller.abort(new Error('over'));
    expect(await ended).toBeUndefined();
    expect(await resolveOnAbort(forever, controller.signal)).toBeUndefined();
  });
});
