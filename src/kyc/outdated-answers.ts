import type { Transaction } from '../persistence/database';
import type { RampId } from '../ramps/ramp-provider';
import { type AccountRow } from './verification';

/** Whom a ramp has news of: by its id of the account, or of the attempt to verify them. */
export interface VerificationHint {
  readonly ramp: RampId;
  readonly accountId: string | undefined;
  readonly attemptId: string | undefined;
}

/**
 * Has the next read of these verifications ask the ramp, however short ago that was done; what was asked before and is not
 * answered yet counts no more. While a submission is under way nothing changes: it is asked about when that has ended.
 */
export async function outdateAnswers(
  tx: Transaction,
  { ramp, accountId, attemptId }: VerificationHint,
): Promise<readonly AccountRow[]> {
  const outdated = await tx.$queryRaw<{ profileId: string }[]>`
    UPDATE "RampAccount" SET "checkedAt" = NULL
     WHERE provider = ${ramp} AND ("accountId" = ${accountId ?? null} OR "attemptId" = ${attemptId ?? null})
       AND ("checkedAt" IS NULL OR "checkedAt" <= ${new Date()})
    RETURNING "profileId"`;
  if (outdated.length === 0) return [];
  const profileId = { in: outdated.map((row) => row.profileId) };
  return tx.rampAccount.findMany({ where: { provider: ramp, profileId } });
}
