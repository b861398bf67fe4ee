import type { CustomerId } from '../auth/principal';
import type { ErrorCode } from '../errors/catalog';
import { isServiceError, serviceError } from '../errors/service-error';
import type { Person } from '../ramps/kyc-provider';
import type { NamedRamp } from '../ramps/ramp-names';
import type { RampAccount, RampId, RampRail } from '../ramps/ramp-provider';
import { completePerson, missingFields } from './person';
import { findProfile, type ProfileDeps, type ProfileKey } from './profile';
import { type RampAccountRow, findRampAccount, capabilitiesOf } from './verification';

export interface AccountHolderRequest {
  readonly customerId: CustomerId;
  /** Checksummed, or a Solana public key. */
  readonly wallet: string;
  readonly ramp: RampId;
  /** The name of the ramp in the request, for error messages. */
  readonly name: string;
  readonly rail: RampRail;
}

/** The person who moves money, and their account at the ramp. Personal data. */
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
  /** Polls the ramp for an account whose stored state would refuse the request; limited as `pollVerificationReadOnly`. */
  readonly pollReadOnly: (row: RampAccountRow, signal: AbortSignal) => Promise<void>;
}

/**
 * Finds the holder of a wallet and their account at a ramp. The ramp must have approved the account for the currency of the
 * rail. When the stored state says otherwise the ramp is polled first, because the state may have changed since; the stored
 * state counts when the ramp is unavailable.
 *
 * @throws KYC_PROFILE_NOT_FOUND when the wallet is linked to no profile; RAMP_ACCOUNT_ID_MISSING, KYC_PROFILE_INCOMPLETE_FOR_RAMP
 * of the primary ramp; SECONDARY_RAMP_KYC_NOT_PROVISIONED, _IN_PROGRESS, _REJECTED of the secondary one
 */
export async function resolveAccountHolder(
  deps: AccountHolderDeps,
  request: AccountHolderRequest,
  signal: AbortSignal,
): Promise<AccountHolder> {
  const { customerId, wallet, ramp, name, rail } = request;
  const link = await deps.database.kycWallet.findFirst({
    where: { customerId, address: wallet, profile: { erasedAt: null } },
    select: { profileId: true },
  });
  if (link === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  const key = { customerId, kycUserId: link.profileId };
  const row = await loadUsableAccount(deps, { key, ramp, rail }, signal);
  const accountId = requireApprovedAccountId({ ramp, name }, row);
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

/** The codes of a wallet without a verified person. They refuse payments, not prices. */
const UNVERIFIED: ReadonlySet<ErrorCode> = new Set([
  'KYC_PROFILE_NOT_FOUND',
  'RAMP_ACCOUNT_ID_MISSING',
  'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
  'SECONDARY_RAMP_KYC_NOT_PROVISIONED',
  'SECONDARY_RAMP_KYC_IN_PROGRESS',
  'SECONDARY_RAMP_KYC_REJECTED',
]);

/**
 * Finds the holder of a wallet whose payment is only priced: with an approved account the price respects its limits. The
 * stored state counts, because a price is not worth a poll of the ramp. `undefined` without a verified person.
 */
export async function findAccountHolder(
  deps: Pick<AccountHolderDeps, 'database' | 'vault'>,
  request: AccountHolderRequest,
  signal: AbortSignal,
): Promise<AccountHolder | undefined> {
  const { database, vault } = deps;
  const stored = { database, vault, pollReadOnly: () => Promise.resolve() };
  try {
    return await resolveAccountHolder(stored, request, signal);
  } catch (error) {
    if (isServiceError(error) && UNVERIFIED.has(error.code)) return undefined;
    throw error;
  }
}

interface Rail {
  readonly ramp: RampId;
  /** Any rail of the ramp when absent. */
  readonly rail?: RampRail | undefined;
}

interface RailOfProfile extends Rail {
  readonly key: ProfileKey;
}

/** The primary ramp unlocks dollars on request. The secondary ramp decides when a bank account is saved. */
const isUnlocked = (row: RampAccountRow | undefined, { ramp, rail = 'PIX' }: Rail): boolean =>
  ramp === 'secondary' || rail === 'PIX' || capabilitiesOf(row).USD;

/** The stored account of a profile. The ramp is polled first when the stored state does not allow the rail. */
export async function loadUsableAccount(
  deps: Pick<AccountHolderDeps, 'database' | 'pollReadOnly'>,
  { key, ramp, rail }: RailOfProfile,
  signal: AbortSignal,
): Promise<RampAccountRow | undefined> {
  const stored = await findRampAccount(deps.database, key, ramp);
  if (stored === undefined || (stored.status === 'approved' && isUnlocked(stored, { ramp, rail }))) return stored;
  await deps.pollReadOnly(stored, signal);
  return findRampAccount(deps.database, key, ramp);
}

/** The ramp's id of an approved account. @throws as `resolveAccountHolder` */
export function requireApprovedAccountId({ ramp, name }: NamedRamp, stored: StoredAccount | undefined): string {
  if (ramp === 'secondary') return approvedAtSecondary(stored);
  const { accountId, status } = stored ?? NO_ACCOUNT;
  if (accountId === null) throw serviceError('RAMP_ACCOUNT_ID_MISSING', { provider: name });
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
