import type { Database, Transaction } from '../persistence/database';
import type { RampId } from '../ramps/ramp-provider';
import type { ProfileKey } from './profile';
import type { RampAccountRow } from './verification';

/** The verification that a callback of a ramp is about, by the ramp's id of the account or of the attempt. */
export interface VerificationSubject {
  readonly ramp: RampId;
  readonly accountId: string | undefined;
  readonly attemptId: string | undefined;
}

/**
 * Marks verifications stale: the next read polls the ramp, however recent the last poll is, and the response of a poll in
 * flight is discarded. Erased profiles are not marked, nor accounts with a submission in progress, which are polled when the
 * submission has ended.
 */
export async function markVerificationsStale(
  tx: Transaction,
  { ramp, accountId, attemptId }: VerificationSubject,
): Promise<readonly RampAccountRow[]> {
  const marked = await tx.$queryRaw<{ profileId: string }[]>`
    UPDATE "RampAccount" a SET "staleSince" = clock.now, "pollToken" = NULL
      FROM "KycProfile" p, (SELECT ${new Date()}::timestamptz AS now) AS clock
     WHERE p.id = a."profileId" AND p."erasedAt" IS NULL
       AND a.provider = ${ramp} AND (a."accountId" = ${accountId ?? null} OR a."attemptId" = ${attemptId ?? null})
       AND (a."submissionLeasedUntil" IS NULL OR a."submissionLeasedUntil" <= clock.now)
    RETURNING a."profileId"`;
  if (marked.length === 0) return [];
  const profileId = { in: marked.map((row) => row.profileId) };
  return tx.rampAccount.findMany({ where: { provider: ramp, profileId } });
}

/** Marks the verification of a profile at a ramp stale. */
export async function markVerificationStale(
  { rampAccount }: Pick<Database, 'rampAccount'>,
  { kycUserId }: ProfileKey,
  ramp: RampId,
): Promise<void> {
  await rampAccount.updateMany({
    where: { profileId: kycUserId, provider: ramp },
    data: { staleSince: new Date(), pollToken: null },
  });
}
