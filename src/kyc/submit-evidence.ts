import type { CustomerId } from '../auth/principal';
import { InvariantError } from '../errors/invariant-error';
import { isServiceError, serviceError } from '../errors/service-error';
import { resolveRamp, loadLivenessMinimum } from './customer-rules';
import { type CheckedSubmission, checkPrimarySubmission } from './evidence/primary-submission';
import type { IdentityDeps } from './identity-deps';
import { openRampAccount } from './open-account';
import { completePerson } from './person';
import { findProfile, type Profile, savePerson } from './profile';
import { type KycStatus, loadKycStatus } from './kyc-status';
import { submitToSecondary } from './submit-to-secondary';
import { pollPendingAccount } from './poll-verification';
import { type RampAccountRow, findRampAccount, blockVerification, submitOnce, takesSubmissions } from './verification';

export interface KycSubmission {
  readonly customerId: CustomerId;
  readonly kycUserId: string;
  readonly rampProvider: string | undefined;
  /** The body, not parsed yet: its schema depends on the ramp. */
  readonly fields: unknown;
}

/**
 * Submits the evidence of a person to a ramp. Everything is checked before a request is sent.
 *
 * @throws KYC_PROFILE_NOT_FOUND, INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE, VALIDATION_ERROR, the codes of
 * `checkPrimarySubmission` and `submitToSecondary`, and those of the ramp
 */
export async function submitEvidence(
  deps: IdentityDeps,
  submission: KycSubmission,
  signal: AbortSignal,
): Promise<KycStatus> {
  const profile = await findProfile(deps, submission);
  const { ramp } = await resolveRamp(deps, submission);
  const submit = ramp === 'secondary' ? submitToSecondary : submitToPrimary;
  await submit(deps, { profile, fields: submission.fields }, signal);
  return loadKycStatus(deps, submission);
}

/** Codes that end a verification permanently. */
const TERMINAL = ['IDENTITY_CPF_MISMATCH', 'UNDER_18'] as const;

interface ReadSubmission {
  readonly profile: Profile;
  readonly fields: unknown;
}

async function submitToPrimary(deps: IdentityDeps, { profile, fields }: ReadSubmission, signal: AbortSignal) {
  assertNotEnded(await findRampAccount(deps.database, profile, 'primary'));
  const livenessMinimum = await loadLivenessMinimum(deps.database, profile.customerId);
  const rules = { person: profile.person, livenessMinimum, signal };
  const pollPending = () => pollPendingAccount(deps, { key: profile, ramp: 'primary' }, signal);
  const checked = await blockOnTerminalCode(deps, { profile, pollPending }, () =>
    checkPrimarySubmission(deps.evidence, fields, rules),
  );
  const row = await pollPending();
  if (takesSubmissions(row)) await sendSubmission(deps, { profile, checked }, signal);
}

interface CheckedPerson {
  readonly profile: Profile;
  readonly checked: CheckedSubmission;
}

async function sendSubmission(
  deps: IdentityDeps,
  { profile, checked }: CheckedPerson,
  signal: AbortSignal,
): Promise<void> {
  const person = completePerson(checked.person);
  if (person === undefined) throw new InvariantError('a checked submission is complete');
  const { customerId, kycUserId } = profile;
  const account = await openRampAccount(deps, { customerId, kycUserId, ramp: 'primary', person }, signal);
  const row = await findRampAccount(deps.database, profile, 'primary');
  if (row === undefined) throw new InvariantError('an account that was opened is stored');
  assertNotEnded(row);
  const submission = { account, person, evidence: checked.evidence };
  await submitOnce(deps.database, row, async () => {
    // Under the lease, so that the stored person is the one that was submitted.
    await savePerson(deps, profile, checked.person);
    return deps.ramps.primary.submitEvidence(submission, signal);
  });
}

/** Refuses further evidence for a blocked verification, with the code that ended it. @throws IDENTITY_CPF_MISMATCH, UNDER_18 */
export function assertNotEnded(row: RampAccountRow | undefined): void {
  if (row?.status !== 'blocked') return;
  throw serviceError(TERMINAL.find((code) => code === row.rejectReason) ?? 'IDENTITY_CPF_MISMATCH');
}

interface CheckedProfile {
  readonly profile: Profile;
  /** Polls the ramp: a verification that was approved meanwhile is not blocked. */
  readonly pollPending: () => Promise<unknown>;
}

/** Runs the checks, and blocks the verification when one of them fails with a terminal code. */
async function blockOnTerminalCode<Result>(
  deps: IdentityDeps,
  { profile, pollPending }: CheckedProfile,
  check: () => Promise<Result>,
): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    const reason = isServiceError(error) ? TERMINAL.find((code) => code === error.code) : undefined;
    if (reason !== undefined) {
      await pollPending();
      await blockVerification(deps.database, profile, { ramp: 'primary', reason });
    }
    throw error;
  }
}
