import { setTimeout as wait } from 'node:timers/promises';

const PATIENCE_MS = 15_000;

/** Resolves as soon as `isSo`; a test that waits for what never comes says what that was. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it never happened that ${what}`);
    await wait(5);
  }
}
