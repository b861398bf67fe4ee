import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { resolveWithin } from './resolve-within';

describe('resolveWithin', () => {
  it('settles as the work does when it is in time', async () => {
    expect(await resolveWithin(Promise.resolve('done'), 1000)).toBe('done');
    await expect(resolveWithin(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no');
  });

  it('resolves to undefined after the timeout, and ignores a later failure', async () => {
    let fail: (reason: Error) => void = () => undefined;
    const work = new Promise<string>((_, reject) => (fail = reject));
    const keepAlive = setTimeout(() => undefined, 5000); // its own timer does not keep the process alive
    expect(await resolveWithin(work, 10)).toBeUndefined();
    clearTimeout(keepAlive);
    fail(new Error('late'));
    await new Promise(setImmediate);
  });

  it('settles as the work does when it was done in time but this process stalled', async () => {
    const { port1, port2 } = new MessageChannel();
    const work = once(port2, 'message');
    const limited = resolveWithin(work, 20);
    port1.postMessage('done');
    for (const end = performance.now() + 100; performance.now() < end;); // blocks the event loop
    expect(await limited).toBe(await work);
    port1.close();
  });
});
