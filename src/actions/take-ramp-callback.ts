import { z } from 'zod';
import { outdateAnswers } from '../kyc/stale-verifications';
import type { RampAccountRow } from '../kyc/verification';
import type { Database, Transaction } from '../persistence/database';
import type { RampId } from '../ramps/ramp-provider';

/**
 * What a callback is about: a reason to ask the ramp, and nothing that is believed.
 *
 * - `ticketId`: the ramp's id of a ticket. `externalId`: ours of it, where the ramp says it.
 * - `accountId`, `attemptId`: the ramp's ids of a person's account and of the attempt to verify them.
 */
export type RampHint = { readonly ramp: RampId; readonly eventId: string } & (
  | { readonly about: 'ticket'; readonly ticketId: string; readonly externalId: string | undefined }
  | {
      readonly about: 'verification';
      readonly accountId: string | undefined;
      readonly attemptId: string | undefined;
    }
  | { readonly about: 'nothing' }
);

/**
 * Takes in a callback, once for its event: the delivery that the ticket belongs to is looked at next, and statuses of the
 * verification that are known count no more. Whatever it says, in whatever order and how often: the ramp is asked.
 *
 * Resolves to the accounts that the ramp has to be asked about.
 */
export async function takeCallback(
  { database }: { readonly database: Pick<Database, '$transaction'> },
  hint: RampHint,
): Promise<readonly RampAccountRow[]> {
  return database.$transaction(async (tx) => {
    const event = { provider: hint.ramp, eventId: hint.eventId };
    const { count } = await tx.rampCallback.createMany({ data: [event], skipDuplicates: true });
    if (count === 0) return [];
    if (hint.about === 'verification') return outdateAnswers(tx, hint);
    if (hint.about === 'ticket') await wakeDelivery(tx, hint);
    return [];
  });
}

const actionId = z.guid();

/**
 * One that sleeps stays asleep: before its origin transaction is seen there is nothing to ask for, and after its end. But
 * what has failed may have been paid since: it is looked at again, however long ago that was.
 */
async function wakeDelivery(tx: Transaction, hint: Extract<RampHint, { about: 'ticket' }>): Promise<void> {
  const ours = actionId.safeParse(hint.externalId).data ?? null;
  await tx.$executeRaw`
    UPDATE "Delivery" AS delivery SET "nextLookAt" = now(), looks = 0
      FROM "RampTicket" AS ticket JOIN "Action" AS action ON action.id = ticket."actionId"
     WHERE ticket.provider = ${hint.ramp} AND (ticket."ticketId" = ${hint.ticketId} OR ticket."actionId" = ${ours}::uuid)
       AND delivery."actionId" = ticket."actionId"
       AND (delivery."nextLookAt" IS NOT NULL OR action.status = 'FAILED')`;
}
