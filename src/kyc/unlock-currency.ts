import { serviceError } from '../errors/service-error';
import type { VerifiableAccount } from '../ramps/kyc-provider';
import type { NamedRamp } from '../ramps/ramp-names';
import type { UsdBeneficiary } from '../ramps/usd-beneficiary';
import { readBankFields } from './bank-fields';
import { saveBeneficiary } from './beneficiaries';
import { resolveRamp } from './customer-rules';
import type { IdentityDeps } from './identity-deps';
import { findProfile, type ProfileKey } from './profile';
import { requireApprovedAccountId } from './account-holder';
import { markVerificationStale } from './stale-verifications';
import { findRampAccount, capabilitiesOf, type VerificationStatus } from './verification';
import { pollVerification } from './poll-verification';

export interface UnlockRequest extends ProfileKey {
  readonly currency: 'USD';
  readonly rampProvider: string | undefined;
  /** The body, with the bank fields of the quote route. */
  readonly fields: object;
}

export interface UnlockedCurrency {
  readonly kycUserId: string;
  readonly currency: 'USD';
  /** The status of the verification at that ramp. */
  readonly status: VerificationStatus;
  readonly usdEnabled: boolean;
  readonly externalAccountId: string | null;
}

/**
 * Requests a currency for an approved person, and saves the bank account of their payouts when one is given.
 *
 * @throws KYC_PROFILE_NOT_FOUND, INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE, SECONDARY_RAMP_NOT_CONFIGURED,
 * VALIDATION_ERROR, the codes of `resolveAccountHolder`, and those of the ramp
 */
export async function unlockCurrency(
  deps: IdentityDeps,
  request: UnlockRequest,
  signal: AbortSignal,
): Promise<UnlockedCurrency> {
  const named = await resolveRamp(deps, request);
  const profile = await findProfile(deps, request);
  const { ramp } = named;
  const beneficiary = readBankFields(request.fields, { required: ramp === 'secondary' });
  assertRail(named, beneficiary);
  assertConfigured(deps, named);
  const stored = await findRampAccount(deps.database, profile, ramp);
  if (stored !== undefined) await pollVerification(deps, stored, signal);
  const row = await findRampAccount(deps.database, profile, ramp);
  const accountId = requireApprovedAccountId(named, row);
  const account: VerifiableAccount = {
    accountId,
    kycUserId: profile.kycUserId,
    attemptId: row?.attemptId ?? undefined,
  };
  const { customerId, kycUserId } = profile;
  const save = (target: UsdBeneficiary) =>
    saveBeneficiary(deps, { ...named, customerId, kycUserId, account, beneficiary: target }, signal);
  const externalAccountId = beneficiary === undefined ? null : await save(beneficiary);
  if (!capabilitiesOf(row).USD) {
    await deps.ramps[ramp].unlockCurrency?.(account, request.currency, signal);
    await markVerificationStale(deps.database, profile, ramp);
    if (row !== undefined) await pollVerification(deps, row, signal);
  }
  const unlocked = await findRampAccount(deps.database, profile, ramp);
  const { USD: usdEnabled } = capabilitiesOf(unlocked);
  return {
    kycUserId,
    currency: request.currency,
    status: unlocked?.status ?? 'created',
    usdEnabled,
    externalAccountId,
  };
}

/** The secondary ramp pays out dollars by wire only. */
function assertRail({ ramp, name }: NamedRamp, beneficiary: UsdBeneficiary | undefined): void {
  if (ramp === 'primary' || beneficiary?.paymentMethod !== 'ACH') return;
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: name, reason: 'it pays US dollars by wire only' });
}

const assertConfigured = ({ rampProviders }: Pick<IdentityDeps, 'rampProviders'>, { ramp }: NamedRamp): void =>
  rampProviders[ramp].assertConfigured?.();
