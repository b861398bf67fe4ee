import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';

const progressSchema = z.object({
  status: z.enum(['INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED']),
  substatus: z.string().nullish(),
});
export type Progress = z.infer<typeof progressSchema>;

const PATIENCE_MS = 90_000;
const POLL_MS = 150;

/** Reads an action until it ends, and prints every change. @throws InvariantError unless it ends as expected. */
export async function followAction(
  read: () => Promise<unknown>,
  expected: 'SUCCESS' | 'REFUNDED' = 'SUCCESS',
): Promise<readonly Progress[]> {
  const seen: Progress[] = [];
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    await wait(POLL_MS);
    const progress = progressSchema.parse(await read());
    const last = seen.at(-1);
    if (last?.status === progress.status && last.substatus === progress.substatus) continue;
    seen.push(progress);
    console.log(`    ${progress.status.padEnd(8)} ${progress.substatus ?? ''}`);
    if (progress.status === expected) return seen;
    if (isEnd(progress)) break;
  }
  throw new InvariantError(`the action did not end in ${expected}: ${seen.map(({ status }) => status).join(' → ')}`);
}

const isEnd = ({ status }: Progress): boolean => status !== 'INITIAL' && status !== 'PENDING';
