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
 * answered yet counts no more. Who was erased is not asked about. While a submission is under way nothing changes: it is asked about when that has ended.
 */
export async function outdateAnswers(
  tx: Transaction,
  { ramp, accountId, attemptId }: VerificationHint,
): Promise<readonly AccountRow[]> {
  const outdated = await tx.$queryRaw<{ profileId: string }[]>`
    UPDATE "RampAccount" a SET "checkedAt" = NULL FROM "KycProfile" p
     WHERE p.id = a."profileId" AND p."erasedAt" IS NULL
       AND a.provider = ${ramp} AND (a."accountId" = ${accountId ?? null} OR a."attemptId" = ${attemptId ?? null})
       AND (a."checkedAt" IS NULL OR a."checkedAt" <= ${new Date()})
    RETURNING a."profileId"`;
  if (outdated.length === 0) return [];
  const profileId = { in: outdated.map((row) => row.profileId) };
  return tx.rampAccount.findMany({ where: { provider: ramp, profileId } });
}
