import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anySignal } from './any-signal';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** True when the signal aborts within five seconds of continuous garbage collection. */
function abortsDespiteCollection(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const collecting = setInterval(collectGarbage, 20);
    const timeout = setTimeout(() => end(false), 5000);
    const end = (aborted: boolean): void => {
      clearInterval(collecting);
      clearTimeout(timeout);
      resolve(aborted);
    };
    signal.addEventListener('abort', () => end(true), { once: true });
  });
}

describe('a combined signal', () => {
  const never = new AbortController().signal;

  it('aborts with a timeout that has no other reference', async () => {
    expect(await abortsDespiteCollection(anySignal(never, AbortSignal.timeout(200)))).toBe(true);
  });

  it('aborts with the timeout of a combined signal that it was made of', async () => {
    const nested = anySignal(anySignal(never, AbortSignal.timeout(200)), AbortSignal.timeout(60_000));
    expect(await abortsDespiteCollection(nested)).toBe(true);
  });

  it('is aborted from the start, with the same reason, when one of its sources is', () => {
    const reason = new DOMException('over');
    expect(anySignal(never, AbortSignal.abort(reason))).toMatchObject({ aborted: true, reason });
  });
});
