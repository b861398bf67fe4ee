import { setTimeout as wait } from 'node:timers/promises';

/** Ends a wait that would never end. Speed is not measured by it: a busy machine may need a minute for what takes a second. */
const TIMEOUT_MS = 90_000;
/** The pause grows up to this, so that a condition that sends requests does not take the time of the service it waits for. */
const MAX_PAUSE_MS = 250;

/** Resolves as soon as the condition holds. Throws after 90 seconds with the description of the condition. */
export async function until(description: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  await untilRead(description, async () => ((await holds()) ? true : undefined));
}

/** Reads until there is a value, and resolves to it. Throws after 90 seconds with the description of the value. */
export async function untilRead<Value>(description: string, read: () => Promise<Value | undefined>): Promise<Value> {
  const deadline = performance.now() + TIMEOUT_MS;
  let pauseMs = 5;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${description}`);
    await wait(pauseMs);
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.5);
  }
}
