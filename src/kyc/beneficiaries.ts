import { serviceError } from '../errors/service-error';
import type { Database } from '../persistence/database';
import type { VerifiableAccount } from '../ramps/kyc-provider';
import type { RampId } from '../ramps/ramp-provider';
import type { UsdBeneficiary } from '../ramps/usd-beneficiary';
import type { IdentityDeps } from './identity-deps';
import { lockProfile, type ProfileDeps, type ProfileKey } from './profile';

export interface BeneficiaryOwner extends ProfileKey {
  readonly ramp: RampId;
}

type BeneficiaryDeps = Pick<ProfileDeps, 'vault'> & { readonly database: Pick<Database, 'rampBeneficiary'> };

/** The ramp's id of a bank account that is saved for a profile; `undefined` when it is not. */
export async function findSavedBeneficiary(
  { database, vault }: BeneficiaryDeps,
  { customerId, kycUserId, ramp }: BeneficiaryOwner,
  beneficiary: UsdBeneficiary,
): Promise<string | undefined> {
  const row = await database.rampBeneficiary.findFirst({
    where: { profileId: kycUserId, customerId, provider: ramp, accountIndex: indexOf(vault, beneficiary) },
    select: { beneficiaryId: true },
  });
  return row?.beneficiaryId;
}

const indexOf = (vault: ProfileDeps['vault'], { routingNumber, accountNumber, paymentMethod }: UsdBeneficiary) =>
  vault.blindIndex('bankAccount', `${paymentMethod}:${routingNumber}:${accountNumber}`);

export interface NewBeneficiary extends BeneficiaryOwner {
  /** The name of the ramp in the request, for error messages. */
  readonly name: string;
  readonly account: VerifiableAccount;
  readonly beneficiary: UsdBeneficiary;
}

/**
 * Saves a bank account at a ramp, once, and returns the ramp's id of it.
 *
 * @throws RAMP_PROVIDER_NOT_ELIGIBLE; KYC_PROFILE_NOT_FOUND when the person was erased meanwhile; the codes of the ramp
 */
export async function saveBeneficiary(
  deps: Pick<IdentityDeps, 'database' | 'vault' | 'ramps'>,
  request: NewBeneficiary,
  signal: AbortSignal,
): Promise<string> {
  const { customerId, kycUserId, ramp, name, account, beneficiary } = request;
  const saved = await findSavedBeneficiary(deps, request, beneficiary);
  if (saved !== undefined) return saved;
  const provider = deps.ramps[ramp];
  if (provider.saveBeneficiary === undefined) {
    const reason = 'it does not save bank accounts';
    throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: name, reason });
  }
  const method = beneficiary.paymentMethod;
  const beneficiaryId = await provider.saveBeneficiary(account, { beneficiary, method }, signal);
  const accountIndex = indexOf(deps.vault, beneficiary);
  await deps.database.$transaction(async (tx) => {
    await lockProfile(tx, { customerId, kycUserId });
    await tx.rampBeneficiary.createMany({
      data: [{ profileId: kycUserId, provider: ramp, customerId, accountIndex, beneficiaryId, method }],
      skipDuplicates: true,
    });
  });
  return (await findSavedBeneficiary(deps, request, beneficiary)) ?? beneficiaryId;
}
