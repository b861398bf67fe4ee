import { z } from 'zod';
import { anySignal } from '../../src/async/any-signal';
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

/** An action takes seconds, except on a machine that is busy with other work. */
const TIMEOUT_MS = 600_000;

type ExpectedEnd = 'SUCCESS' | 'REFUNDED';

/**
 * Subscribes to an action until it ends, and prints every change. @throws InvariantError unless it ends as expected.
 */
export async function followAction(
  api: Pick<ApiClient, 'subscribe'>,
  id: string,
  { expected = 'SUCCESS', signal }: { readonly expected?: ExpectedEnd; readonly signal?: AbortSignal } = {},
): Promise<readonly Progress[]> {
  const seen: Progress[] = [];
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ended = signal === undefined ? timeout : anySignal(timeout, signal);
  for await (const event of api.subscribe(ACTION_CHANGED, { id }, ended)) {
    const { actionChanged: progress } = eventSchema.parse(event);
    if (isSame(seen.at(-1), progress)) continue;
    seen.push(progress);
    console.log(`    ${progress.status.padEnd(8)} ${progress.substatus ?? ''}`);
  }
  if (seen.at(-1)?.status === expected) return seen;
  throw new InvariantError(`the action did not end in ${expected}: ${seen.map(({ status }) => status).join(' → ')}`);
}

const isSame = (last: Progress | undefined, { status, substatus }: Progress): boolean =>
  last?.status === status && last.substatus === substatus;

interface SentAction {
  readonly api: Pick<ApiClient, 'subscribe'>;
  readonly id: string;
  readonly expected?: ExpectedEnd;
}

/**
 * Follows an action while its transactions are sent. A failure of `send` ends the subscription.
 *
 * @throws as `send`, and as `followAction`
 */
export async function sendAndFollow(
  { api, id, expected = 'SUCCESS' }: SentAction,
  send: () => Promise<unknown>,
): Promise<readonly Progress[]> {
  const failed = new AbortController();
  try {
    const [progress] = await Promise.all([followAction(api, id, { expected, signal: failed.signal }), send()]);
    return progress;
  } finally {
    failed.abort();
  }
}
