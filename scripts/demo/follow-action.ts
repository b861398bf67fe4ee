import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { ApiClient } from './api-client';
import { graphql } from './generated';

const ACTION_CHANGED = graphql(/* GraphQL */ `
  subscription ActionChanged($id: UUID!) {
    actionChanged(id: $id) {
      status
      substatus
    }
  }
`);

const eventSchema = z.object({
  actionChanged: z.object({
    status: z.enum(['INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED']),
    substatus: z.string().nullish(),
  }),
});
export type Progress = z.infer<typeof eventSchema>['actionChanged'];

const PATIENCE_MS = 120_000;

/**
 * Subscribes to an action until it ends, and prints every change. @throws InvariantError unless it ends as expected.
 */
export async function followAction(
  api: ApiClient,
  id: string,
  expected: 'SUCCESS' | 'REFUNDED' = 'SUCCESS',
): Promise<readonly Progress[]> {
  const seen: Progress[] = [];
  for await (const event of api.subscribe(ACTION_CHANGED, { id }, AbortSignal.timeout(PATIENCE_MS))) {
    const { actionChanged: progress } = eventSchema.parse(event);
    const last = seen.at(-1);
    if (last?.status === progress.status && last.substatus === progress.substatus) continue;
    seen.push(progress);
    console.log(`    ${progress.status.padEnd(8)} ${progress.substatus ?? ''}`);
  }
  if (seen.at(-1)?.status === expected) return seen;
  throw new InvariantError(`the action did not end in ${expected}: ${seen.map(({ status }) => status).join(' → ')}`);
}
