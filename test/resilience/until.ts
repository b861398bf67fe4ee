import { setTimeout as wait } from 'node:timers/promises';

const TIMEOUT_MS = 15_000;

/** Resolves as soon as the condition holds. Throws after 15 seconds with the description of the condition. */
export async function until(description: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${description}`);
    await wait(5);
  }
}
