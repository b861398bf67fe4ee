import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after the time, in milliseconds, or as soon as the signal aborts. Without a signal it always waits. Never rejects. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal && { signal }).catch(() => undefined); // rejects only on abort
}
