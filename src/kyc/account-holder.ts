import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Person } from '../ramps/identity-provider';
import type { RampAccount, RampId, RampRail } from '../ramps/ramp-provider';
import { completePerson, missingFields } from './person';
import { findProfile, type ProfileDeps, type ProfileKey } from './profile';
import { type RampAccountRow, findRampAccount, capabilitiesOf } from './verification';

export interface AccountHolderRequest {
  readonly customerId: CustomerId;
  /** Checksummed, or a Solana public key. */
  readonly wallet: string;
  readonly ramp: RampId;
  readonly rail: RampRail;
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

export interface AccountHolderDeps extends ProfileDeps {
  /** Asks the ramp about an account of which something would be refused, bounded as `pollReadOnly`. */
  readonly pollReadOnly: (row: RampAccountRow, signal: AbortSignal) => Promise<void>;
}

/**
 * The account at a ramp of the person whose wallet it is. Only of those whom the ramp approved, and lets move the currency of
 * the rail: who may not, by what is known, may do so since anybody asked, so the ramp is asked once more. One that does not
 * answer leaves what is known.
 *
 * @throws KYC_PROFILE_NOT_FOUND when the wallet is linked to nobody; RAMP_ACCOUNT_ID_MISSING, KYC_PROFILE_INCOMPLETE_FOR_RAMP
 * of the primary ramp; SECONDARY_RAMP_KYC_NOT_PROVISIONED, _IN_PROGRESS, _REJECTED of the secondary one
 */
export async function resolveAccountHolder(
  deps: AccountHolderDeps,
  question: AccountHolderRequest,
  signal: AbortSignal,
): Promise<AccountHolder> {
  const { customerId, wallet, ramp, rail } = question;
  const link = await deps.database.kycWallet.findFirst({
    where: { customerId, address: wallet, profile: { erasedAt: null } },
    select: { profileId: true },
  });
  if (link === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  const key = { customerId, kycUserId: link.profileId };
  const row = await loadUsableAccount(deps, { key, ramp, rail }, signal);
  const accountId = requireApprovedAccountId(ramp, row);
  if (!isUnlocked(row, { ramp, rail })) {
    throw serviceError(
      'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
      { fields: 'USD must be unlocked with POST /api/v1/kyc/currency-unlock first' },
      { details: { usdEnabled: false } },
    );
  }
  const { kycUserId, person: known } = await findProfile(deps, key);
  const person = completePerson(known);
  if (person === undefined) {
    throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: missingFields(known).join(', ') });
  }
  return { account: { accountId, kycUserId }, person };
}

interface Rail {
  readonly ramp: RampId;
  /** Any that the ramp has when not given. */
  readonly rail?: RampRail | undefined;
}

interface Held extends Rail {
  readonly key: ProfileKey;
}

/** The primary ramp would refuse dollars of people who did not ask for them. The secondary one decides with their bank account. */
const isUnlocked = (row: RampAccountRow | undefined, { ramp, rail = 'PIX' }: Rail): boolean =>
  ramp === 'secondary' || rail === 'PIX' || capabilitiesOf(row).USD;

/** What is known of an account, and of one that may not do what is asked for what the ramp says of it now. */
export async function loadUsableAccount(
  deps: Pick<AccountHolderDeps, 'database' | 'pollReadOnly'>,
  { key, ramp, rail }: Held,
  signal: AbortSignal,
): Promise<RampAccountRow | undefined> {
  const known = await findRampAccount(deps.database, key, ramp);
  if (known === undefined || (known.status === 'approved' && isUnlocked(known, { ramp, rail }))) return known;
  await deps.pollReadOnly(known, signal);
  return findRampAccount(deps.database, key, ramp);
}

/** The ramp's id of an account that it has approved. @throws as `resolveAccountHolder` */
export function requireApprovedAccountId(ramp: RampId, stored: StoredAccount | undefined): string {
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
