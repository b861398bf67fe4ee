import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';

const progressSchema = z.object({
  status: z.enum(['INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED']),
  substatus: z.string().nullish(),
});
export type Progress = z.infer<typeof progressSchema>;

const PATIENCE_MS = 60_000;
const POLL_MS = 150;

/** Reads an action until it ends, and prints every change. @throws InvariantError unless it ends in SUCCESS. */
export async function followAction(read: () => Promise<unknown>): Promise<readonly Progress[]> {
  const seen: Progress[] = [];
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    await wait(POLL_MS);
    const progress = progressSchema.parse(await read());
    const last = seen.at(-1);
    if (last?.status === progress.status && last.substatus === progress.substatus) continue;
    seen.push(progress);
    console.log(`    ${progress.status.padEnd(8)} ${progress.substatus ?? ''}`);
    if (progress.status === 'SUCCESS') return seen;
    if (progress.status === 'FAILED' || progress.status === 'REFUNDED') break;
  }
  throw new InvariantError(`the action did not succeed: ${seen.map(({ status }) => status).join(' → ')}`);
}
