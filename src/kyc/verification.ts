import { z } from 'zod';
import type { Database } from '../persistence/database';
import type { VerificationState } from '../ramps/kyc-provider';
import type { RampId } from '../ramps/ramp-provider';
import type { ProfileKey } from './profile';

/** Longest time of a submission. The ramp is not polled meanwhile: its state is stale as soon as the submission arrives. */
const SUBMISSION_LEASE_MS = 60_000;

export type VerificationStatus = VerificationState['status'];
type RampAccountTable = Pick<Database, 'rampAccount'>;
export type RampAccountRow = Awaited<ReturnType<Database['rampAccount']['findMany']>>[number];

/** The currencies that a ramp lets an account move. */
export interface Capabilities {
  readonly BRL: boolean;
  readonly USD: boolean;
}

const capabilitiesSchema = z.object({ BRL: z.boolean().default(false), USD: z.boolean().default(false) });

/** No currency before the account is approved. */
export function capabilitiesOf(row: Pick<RampAccountRow, 'status' | 'capabilities'> | undefined): Capabilities {
  if (row?.status !== 'approved') return { BRL: false, USD: false };
  return capabilitiesSchema.parse(row.capabilities);
}

/** The stored accounts of a profile, one for each ramp. */
export const listRampAccounts = ({ rampAccount }: RampAccountTable, { customerId, kycUserId }: ProfileKey) =>
  rampAccount.findMany({ where: { profileId: kycUserId, customerId } });

export async function findRampAccount(
  { rampAccount }: RampAccountTable,
  { customerId, kycUserId }: ProfileKey,
  ramp: RampId,
): Promise<RampAccountRow | undefined> {
  const row = await rampAccount.findFirst({ where: { profileId: kycUserId, provider: ramp, customerId } });
  return row ?? undefined;
}

/** The statuses in which evidence may be submitted. */
const OPEN: readonly VerificationStatus[] = ['created', 'rejected_retryable'];

/**
 * Submits evidence; one of several concurrent calls goes through. False when the status allows no submission. The
 * verification is pending until the ramp reports another state.
 *
 * When the submission fails the former status returns, without the id of the former attempt: the failed request may have
 * opened a new attempt, and polls without an id read the newest one.
 */
export async function submitOnce(
  { rampAccount }: RampAccountTable,
  row: Pick<RampAccountRow, 'profileId' | 'provider' | 'status' | 'providerStatus' | 'rejectReason'>,
  submit: () => Promise<{ readonly attemptId?: string | undefined }>,
): Promise<boolean> {
  const { profileId, provider, status, providerStatus, rejectReason } = row;
  if (!OPEN.includes(status)) return false;
  const cleared = { attemptId: null, providerStatus: null, rejectReason: null, pollToken: null };
  const submissionLeasedUntil = new Date(Date.now() + SUBMISSION_LEASE_MS);
  const { count } = await rampAccount.updateMany({
    where: { profileId, provider, status },
    data: { status: 'provider_pending', ...cleared, submissionLeasedUntil },
  });
  if (count === 0) return false;
  const where = { profileId, provider, status: 'provider_pending' as const };
  const ended = () => ({ submissionLeasedUntil: null, staleSince: new Date(), pollToken: null });
  try {
    const { attemptId } = await submit();
    await rampAccount.updateMany({ where, data: { ...ended(), ...(attemptId === undefined ? {} : { attemptId }) } });
    return true;
  } catch (error) {
    await rampAccount.updateMany({ where, data: { status, providerStatus, rejectReason, ...ended() } });
    throw error;
  }
}

/** Ends a verification permanently, unless it is approved. */
export async function blockVerification(
  { rampAccount }: RampAccountTable,
  { customerId, kycUserId }: ProfileKey,
  { ramp, reason }: { readonly ramp: RampId; readonly reason: string },
): Promise<void> {
  const id = { profileId: kycUserId, provider: ramp };
  await rampAccount.createMany({ data: [{ ...id, customerId }], skipDuplicates: true });
  await rampAccount.updateMany({
    where: { ...id, status: { not: 'approved' } },
    data: { status: 'blocked', rejectReason: reason },
  });
}

/** True when evidence may be submitted for the account, or when there is no account yet. */
export const takesSubmissions = (row: RampAccountRow | undefined): boolean =>
  row === undefined || OPEN.includes(row.status);
