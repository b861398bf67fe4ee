import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anySignal } from './any-signal';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Whether it aborts while garbage is collected all the time. */
function comes(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const collecting = setInterval(collectGarbage, 20);
    const patience = setTimeout(() => end(false), 5000);
    const end = (came: boolean): void => {
      clearInterval(collecting);
      clearTimeout(patience);
      resolve(came);
    };
    signal.addEventListener('abort', () => end(true), { once: true });
  });
}

describe('a signal made of others', () => {
  const never = new AbortController().signal;

  it('aborts when a timeout comes to which nobody else refers', async () => {
    expect(await comes(anySignal(never, AbortSignal.timeout(200)))).toBe(true);
  });

  it('aborts when the timeout comes of one that it was made of', async () => {
    expect(await comes(anySignal(anySignal(never, AbortSignal.timeout(200)), AbortSignal.timeout(60_000)))).toBe(true);
  });

  it('aborts at once when one of them has, for its reason', () => {
    const reason = new DOMException('over');
    expect(anySignal(never, AbortSignal.abort(reason))).toMatchObject({ aborted: true, reason });
  });
});
