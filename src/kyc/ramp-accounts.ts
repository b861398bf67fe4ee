import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Person } from '../ramps/identity-provider';
import type { RampAccount, RampId } from '../ramps/ramp-provider';
import { completePerson, missingOf } from './person';
import { findProfile, type ProfileDeps } from './profile';

export interface AccountQuestion {
  readonly customerId: CustomerId;
  /** Checksummed, or a Solana public key. */
  readonly wallet: string;
  readonly ramp: RampId;
}

/** Who moves money: the account at the ramp, and the person. Personal data. */
export interface AccountHolder {
  readonly account: RampAccount;
  readonly person: Person;
}

interface StoredAccount {
  readonly accountId: string | null;
  readonly status: 'created' | 'provider_pending' | 'approved' | 'rejected' | 'rejected_retryable' | 'blocked';
}

const NO_ACCOUNT: StoredAccount = { accountId: null, status: 'created' };

/**
 * The account at a ramp of the person whose wallet it is. Only of those whom the ramp approved.
 *
 * @throws KYC_PROFILE_NOT_FOUND when the wallet is linked to nobody; RAMP_ACCOUNT_ID_MISSING, KYC_PROFILE_INCOMPLETE_FOR_RAMP
 * of the primary ramp; SECONDARY_RAMP_KYC_NOT_PROVISIONED, _IN_PROGRESS, _REJECTED of the secondary one
 */
export async function accountFor(deps: ProfileDeps, question: AccountQuestion): Promise<AccountHolder> {
  const { customerId, wallet, ramp } = question;
  const link = await deps.database.kycWallet.findFirst({
    where: { customerId, address: wallet, profile: { erasedAt: null } },
    select: { profileId: true, profile: { select: { accounts: { where: { provider: ramp } } } } },
  });
  if (link === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  const accountId = approvedAccountId(ramp, link.profile.accounts[0]);
  const { kycUserId, person: known } = await findProfile(deps, { customerId, kycUserId: link.profileId });
  const person = completePerson(known);
  if (person === undefined) {
    throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: missingOf(known).join(', ') });
  }
  return { account: { accountId, kycUserId }, person };
}

/** The ramp's id of an account that it has approved. @throws as `accountFor` */
export function approvedAccountId(ramp: RampId, stored: StoredAccount | undefined): string {
  if (ramp === 'secondary') return approvedAtSecondary(stored);
  const { accountId, status } = stored ?? NO_ACCOUNT;
  if (accountId === null) throw serviceError('RAMP_ACCOUNT_ID_MISSING', { provider: ramp });
  if (status === 'approved') return accountId;
  throw serviceError(
    'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
    { fields: 'an approved verification' },
    { details: { status } },
  );
}

function approvedAtSecondary(stored: StoredAccount | undefined): string {
  const { accountId, status } = stored ?? NO_ACCOUNT;
  if (status === 'rejected' || status === 'blocked') throw serviceError('SECONDARY_RAMP_KYC_REJECTED');
  if (accountId === null) throw serviceError('SECONDARY_RAMP_KYC_NOT_PROVISIONED');
  if (status === 'approved') return accountId;
  throw serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS');
}
