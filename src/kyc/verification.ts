import { z } from 'zod';
import type { Database } from '../persistence/database';
import type { VerificationState } from '../ramps/identity-provider';
import type { RampId } from '../ramps/ramp-provider';
import type { ProfileKey } from './profile';

/** While a submission is under way nobody asks: what the ramp says then is old at once. */
const SUBMISSION_MS = 60_000;

export type VerificationStatus = VerificationState['status'];
type RampAccountTable = Pick<Database, 'rampAccount'>;
export type AccountRow = Awaited<ReturnType<Database['rampAccount']['findMany']>>[number];

export interface Capabilities {
  readonly BRL: boolean;
  readonly USD: boolean;
}

const capabilitiesSchema = z.object({ BRL: z.boolean().default(false), USD: z.boolean().default(false) });

/** What a ramp lets an account move: nothing before it is approved. */
export function capabilitiesOf(row: Pick<AccountRow, 'status' | 'capabilities'> | undefined): Capabilities {
  if (row?.status !== 'approved') return { BRL: false, USD: false };
  return capabilitiesSchema.parse(row.capabilities);
}

/** What is known of a profile at the ramps. */
export const accountsOf = ({ rampAccount }: RampAccountTable, { customerId, kycUserId }: ProfileKey) =>
  rampAccount.findMany({ where: { profileId: kycUserId, customerId } });

export async function accountAt(
  { rampAccount }: RampAccountTable,
  { customerId, kycUserId }: ProfileKey,
  ramp: RampId,
): Promise<AccountRow | undefined> {
  const row = await rampAccount.findFirst({ where: { profileId: kycUserId, provider: ramp, customerId } });
  return row ?? undefined;
}

/** Has the next status read ask the ramp, however short ago that was done. */
export async function askAtNextRead({ rampAccount }: RampAccountTable, key: ProfileKey, ramp: RampId): Promise<void> {
  await rampAccount.updateMany({ where: { profileId: key.kycUserId, provider: ramp }, data: { checkedAt: null } });
}

/** What a profile may be submitted in. */
const OPEN: readonly VerificationStatus[] = ['created', 'rejected_retryable'];

/**
 * Hands a submission over, once: of several at a time one goes through. False when the verification does not wait for
 * one. What is submitted is pending until the ramp says otherwise. When the submission fails nothing has changed but that
 * the ramp is asked about its newest attempt, which may be of this submission nevertheless, and no more about the last one.
 */
export async function submitOnce(
  { rampAccount }: RampAccountTable,
  row: Pick<AccountRow, 'profileId' | 'provider' | 'status' | 'providerStatus' | 'rejectReason'>,
  submit: () => Promise<{ readonly attemptId?: string | undefined }>,
): Promise<boolean> {
  const { profileId, provider, status, providerStatus, rejectReason } = row;
  if (!OPEN.includes(status)) return false;
  const nothingYet = { attemptId: null, providerStatus: null, rejectReason: null };
  const { count } = await rampAccount.updateMany({
    where: { profileId, provider, status },
    data: { status: 'provider_pending', ...nothingYet, checkedAt: new Date(Date.now() + SUBMISSION_MS) },
  });
  if (count === 0) return false;
  const mine = { profileId, provider, status: 'provider_pending' as const };
  try {
    const { attemptId } = await submit();
    await rampAccount.updateMany({
      where: mine,
      data: { checkedAt: null, ...(attemptId === undefined ? {} : { attemptId }) },
    });
    return true;
  } catch (error) {
    await rampAccount.updateMany({ where: mine, data: { status, providerStatus, rejectReason, checkedAt: null } });
    throw error;
  }
}

/** Ends a verification for good, unless it has succeeded already. */
export async function block(
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

/** True when a profile with that account, or without one, may be submitted. */
export const takesSubmissions = (row: AccountRow | undefined): boolean =>
  row === undefined || OPEN.includes(row.status);
