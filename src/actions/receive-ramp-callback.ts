import { z } from 'zod';
import { markVerificationsStale } from '../kyc/stale-verifications';
import type { RampAccountRow } from '../kyc/verification';
import type { Database, Transaction } from '../persistence/database';
import type { RampId } from '../ramps/ramp-provider';
import { POLL_NOW } from './state/poll-now';

/**
 * The subject of a ramp's callback. Its content is not trusted: it only triggers a poll of the ramp.
 *
 * - `ticketId`: the ramp's id of a ticket. `externalId`: the id that this service gave it, if the ramp includes it.
 * - `accountId`, `attemptId`: the ramp's ids of an account and of a verification attempt.
 */
export type RampCallbackSubject = { readonly ramp: RampId; readonly eventId: string } & (
  | { readonly about: 'ticket'; readonly ticketId: string; readonly externalId: string | undefined }
  | {
      readonly about: 'verification';
      readonly accountId: string | undefined;
      readonly attemptId: string | undefined;
    }
  | { readonly about: 'other' }
);

/**
 * Stores a callback once per event, schedules a poll of the delivery of its ticket, or marks the state of its verification
 * as stale. The order, number and content of callbacks do not matter, because the ramp is polled.
 *
 * Resolves to the accounts whose verification has to be polled.
 */
export async function receiveRampCallback(
  { database }: { readonly database: Pick<Database, '$transaction'> },
  subject: RampCallbackSubject,
): Promise<readonly RampAccountRow[]> {
  return database.$transaction(async (tx) => {
    const event = { provider: subject.ramp, eventId: subject.eventId };
    const { count } = await tx.rampCallback.createMany({ data: [event], skipDuplicates: true });
    if (count === 0) return [];
    if (subject.about === 'verification') return markVerificationsStale(tx, subject);
    if (subject.about === 'ticket') await scheduleTicketPoll(tx, subject);
    return [];
  });
}

const actionId = z.guid();

/**
 * Schedules a poll of an active delivery, and of one whose action has failed, however long ago: it may have been paid
 * since. Before the origin transaction is seen, and after any other end, there is nothing to poll.
 */
async function scheduleTicketPoll(
  tx: Transaction,
  subject: Extract<RampCallbackSubject, { about: 'ticket' }>,
): Promise<void> {
  const ownId = actionId.safeParse(subject.externalId).data ?? null;
  await tx.$executeRaw`
    UPDATE "Delivery" AS delivery SET ${POLL_NOW}
      FROM "RampTicket" AS ticket JOIN "Action" AS action ON action.id = ticket."actionId"
     WHERE ticket.provider = ${subject.ramp} AND (ticket."ticketId" = ${subject.ticketId} OR ticket."actionId" = ${ownId}::uuid)
       AND delivery."actionId" = ticket."actionId"
       AND (delivery.phase = 'ACTIVE' OR action.status = 'FAILED')`;
}
