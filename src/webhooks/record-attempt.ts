import type { Database, Transaction } from '../persistence/database';
import { type Breaker, hasFailedTooLong, nextBreaker } from './breaker';
import type { ClaimedWebhook } from './claim-deliveries';
import { retryDelayMs } from './retry-schedule';
import type { AttemptResult } from './send-webhook';

const GONE = 410;

/** The next state of a delivery. */
type Outcome =
  | { readonly state: 'DELIVERED' }
  | { readonly state: 'WAITING'; readonly delayMs: number }
  | { readonly state: 'PARKED'; readonly parkedReason: 'EXHAUSTED' | 'GONE' };

/**
 * Stores the result of an attempt, in one transaction: the log, the delivery, what it means for later events of the action,
 * and the breaker of the endpoint. No effect when the lease has ended and another worker has the delivery.
 */
export async function recordAttempt(
  {
    database,
    random = Math.random,
  }: { readonly database: Pick<Database, '$transaction'>; readonly random?: () => number },
  claimed: ClaimedWebhook,
  result: AttemptResult,
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    if (!(await lockClaim(tx, claimed))) return false;
    const number = claimed.attempts + 1;
    const outcome = outcomeOf(result, { attempts: number, random: random() });
    await addToLog(tx, { claimed, number, result });
    await storeOutcome(tx, { claimed, number, outcome });
    await countForEndpoint(tx, claimed, result);
    return true;
  });
}

async function lockClaim(tx: Transaction, { id, fencingToken }: ClaimedWebhook): Promise<boolean> {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "WebhookDelivery"
     WHERE id = ${id}::uuid AND "fencingToken" = ${fencingToken} AND state = 'WAITING' FOR UPDATE`;
  return locked.length === 1;
}

function outcomeOf(
  { failure, status, retryAfterSeconds }: AttemptResult,
  { attempts, random }: { readonly attempts: number; readonly random: number },
): Outcome {
  if (failure === undefined) return { state: 'DELIVERED' };
  if (status === GONE) return { state: 'PARKED', parkedReason: 'GONE' };
  const delayMs = retryDelayMs({ attempts, retryAfterSeconds, random });
  return delayMs === undefined ? { state: 'PARKED', parkedReason: 'EXHAUSTED' } : { state: 'WAITING', delayMs };
}

async function addToLog(
  tx: Transaction,
  {
    claimed,
    number,
    result,
  }: { readonly claimed: ClaimedWebhook; readonly number: number; readonly result: AttemptResult },
): Promise<void> {
  const { id: deliveryId, customerId } = claimed;
  const { status = null, failure = null, response = null, durationMs } = result;
  await tx.webhookAttempt.create({ data: { deliveryId, number, customerId, status, failure, response, durationMs } });
}

interface StoredOutcome {
  readonly claimed: ClaimedWebhook;
  readonly number: number;
  readonly outcome: Outcome;
}

/** Later events of the action wait as long as this one, and go on when it has ended. */
async function storeOutcome(tx: Transaction, { claimed, number, outcome }: StoredOutcome): Promise<void> {
  const delaySeconds = outcome.state === 'WAITING' ? outcome.delayMs / 1000 : 0;
  const parkedReason = outcome.state === 'PARKED' ? outcome.parkedReason : null;
  await tx.$executeRaw`
    WITH stored AS (
      UPDATE "WebhookDelivery"
         SET state = ${outcome.state}, "parkedReason" = ${parkedReason}, attempts = ${number}, "leasedUntil" = NULL,
             "nextAt" = now() + make_interval(secs => ${delaySeconds}::float8),
             "finishedAt" = CASE WHEN ${outcome.state} <> 'WAITING' THEN now() END
       WHERE id = ${claimed.id}::uuid
      RETURNING "endpointId", "orderKey", seq, "nextAt"
    )
    UPDATE "WebhookDelivery" AS later SET "nextAt" = stored."nextAt"
      FROM stored
     WHERE later."endpointId" = stored."endpointId" AND later."orderKey" = stored."orderKey" AND later.seq > stored.seq
       AND later.state = 'WAITING'`;
}

/** Disables the endpoint of a customer at a 410, and any endpoint that failed for days. */
async function countForEndpoint(tx: Transaction, claimed: ClaimedWebhook, result: AttemptResult): Promise<void> {
  const [breaker] = await tx.$queryRaw<(Breaker & { readonly now: Date })[]>`
    SELECT "openUntil", openings, "failingSince", "windowStart", "windowAttempts", "windowFailures", now() AS now
      FROM "WebhookEndpoint" WHERE id = ${claimed.endpointId}::uuid FOR NO KEY UPDATE`;
  if (breaker === undefined) return;
  const next = nextBreaker(breaker, result.failure === undefined, breaker.now);
  const { openUntil, openings, failingSince, windowStart, windowAttempts, windowFailures } = next;
  const reason = disabledReason(claimed, result, hasFailedTooLong(next, breaker.now));
  await tx.$executeRaw`
    UPDATE "WebhookEndpoint"
       SET "openUntil" = ${openUntil}::timestamptz, openings = ${openings},
           "failingSince" = ${failingSince}::timestamptz, "windowStart" = ${windowStart}::timestamptz,
           "windowAttempts" = ${windowAttempts}, "windowFailures" = ${windowFailures},
           "updatedAt" = CASE WHEN ${reason}::text IS NULL THEN "updatedAt" ELSE now() END,
           "disabledReason" = CASE WHEN state = 'ENABLED' THEN ${reason}::text ELSE "disabledReason" END,
           state = CASE WHEN state = 'ENABLED' AND ${reason}::text IS NOT NULL THEN 'DISABLED' ELSE state END
     WHERE id = ${claimed.endpointId}::uuid`;
}

/** A 410 from the URL of one quote says nothing about the others of its origin. */
function disabledReason(
  { kind }: ClaimedWebhook,
  { status }: AttemptResult,
  isFailing: boolean,
): 'GONE' | 'FAILING' | null {
  if (status === GONE && kind === 'CUSTOMER') return 'GONE';
  return isFailing ? 'FAILING' : null;
}
