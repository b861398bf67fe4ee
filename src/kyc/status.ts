import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { validationError } from '../errors/validation';
import { serviceError } from '../errors/service-error';
import type { Database } from '../persistence/database';
import type { RampId } from '../ramps/ramp-provider';
import { chosenRamp } from './customer-rules';
import { optional, readInput, text } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import { findProfile, type ProfileDeps, type ProfileKey } from './profile';
import { type AccountRow, accountsOf, refresh, type VerificationStatus } from './verification';
import { listKycWallets } from './wallets';

/** How a verification stands. The top level is the primary ramp's; `ramps` has the secondary one by the name it goes by. */
export interface KycStatus {
  readonly kycUserId: string;
  readonly provider: string;
  readonly status: VerificationStatus;
  readonly brlaEnabled: boolean;
  readonly usdEnabled: boolean;
  readonly eurEnabled: boolean;
  readonly providerStatus: string | null;
  readonly rejectReason: string | null;
  readonly retryable: boolean;
  readonly ramps: Readonly<Record<string, SecondaryStatus>>;
  readonly walletAddress: string;
  readonly walletAddresses: readonly string[];
  readonly updatedAt: Date;
}

interface SecondaryStatus {
  readonly status: string;
  readonly verificationLink?: string;
  readonly capabilities: Capabilities;
  readonly verification?: unknown;
}

interface Capabilities {
  readonly BRL: boolean;
  readonly USD: boolean;
}

const capabilitiesSchema = z.object({ BRL: z.boolean().default(false), USD: z.boolean().default(false) });

/** What a ramp lets an account move: nothing before it is approved. */
export function capabilitiesOf(row: Pick<AccountRow, 'status' | 'capabilities'> | undefined): Capabilities {
  if (row?.status !== 'approved') return { BRL: false, USD: false };
  return capabilitiesSchema.parse(row.capabilities);
}

/** Words of the secondary ramp's clients. */
const SECONDARY_WORDS: Readonly<Record<VerificationStatus, string>> = {
  created: 'created',
  provider_pending: 'under_review',
  approved: 'approved',
  rejected: 'rejected',
  rejected_retryable: 'partially_rejected',
  blocked: 'rejected',
};

export interface StatusRequest extends ProfileKey {
  readonly rampProvider: string | undefined;
}

/**
 * How a profile's verification stands. Ramps are asked on the way, at most every couple of seconds for an account.
 *
 * @throws KYC_PROFILE_NOT_FOUND, INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE
 */
export async function kycStatus(deps: IdentityDeps, request: StatusRequest, signal: AbortSignal): Promise<KycStatus> {
  const rows = await accountsOf(deps.database, request);
  await Promise.all(rows.map((row) => refresh(deps, row, signal)));
  return knownStatus(deps, request);
}

/** As `kycStatus`, without asking anybody. */
export async function knownStatus(deps: IdentityDeps, request: StatusRequest): Promise<KycStatus> {
  const { ramp, name } = await chosenRamp(deps, request);
  const names = { primary: deps.brands.primary, secondary: deps.brands.secondary, [ramp]: name };
  const [profile, wallets, rows] = await Promise.all([
    findProfile(deps, request),
    listKycWallets(deps.database, request),
    accountsOf(deps.database, request),
  ]);
  const at = (id: RampId): AccountRow | undefined => rows.find(({ provider }) => provider === id);
  const [primary, secondary] = [at('primary'), at('secondary')];
  const changes = [profile, ...rows].map(({ updatedAt }) => updatedAt.getTime());
  return {
    ...wallets,
    ...primaryStatus(primary),
    provider: names.primary,
    ramps: secondary === undefined ? {} : { [names.secondary]: secondaryStatus(secondary) },
    updatedAt: new Date(Math.max(...changes)),
  };
}

function primaryStatus(row: AccountRow | undefined) {
  const { BRL, USD } = capabilitiesOf(row);
  const { status = 'created', providerStatus = null, rejectReason = null } = row ?? {};
  return {
    ...{ status, providerStatus, rejectReason, retryable: status === 'rejected_retryable' },
    ...{ brlaEnabled: BRL, usdEnabled: USD, eurEnabled: false },
  };
}

function secondaryStatus(row: AccountRow): SecondaryStatus {
  const { status, verificationLink, verification } = row;
  return {
    status: SECONDARY_WORDS[status],
    capabilities: capabilitiesOf(row),
    ...(verificationLink === null ? {} : { verificationLink }),
    ...(verification === null ? {} : { verification }),
  };
}

const lookUp = z.object({
  kycUserId: optional(text),
  externalUserId: optional(text),
  email: optional(text),
  walletAddress: optional(text),
});

/**
 * The profile that a caller means: by `kycUserId`, else `externalUserId` (the newest), else the wallet, together with the
 * e-mail where one is given.
 *
 * @throws KYC_PROFILE_NOT_FOUND; VALIDATION_ERROR when none of them is given
 */
export async function lookUpProfile(
  { database, vault }: ProfileDeps & { readonly database: Pick<Database, 'kycProfile'> },
  customerId: CustomerId,
  fields: unknown,
): Promise<ProfileKey> {
  const { kycUserId, externalUserId, email, walletAddress: address } = readInput(lookUp, fields);
  const isNamed = [kycUserId, externalUserId, address].some((name) => name !== undefined);
  if (!isNamed) {
    const message = 'is required, or externalUserId, or walletAddress';
    throw validationError([{ path: 'kycUserId', message }]);
  }
  const emailIndex = email === undefined ? undefined : vault.blindIndex('email', email.toLowerCase());
  const byWallet = {
    wallets: { some: { address: address ?? '' } },
    ...(emailIndex === undefined ? {} : { emailIndex }),
  };
  const meant =
    kycUserId !== undefined ? { id: kycUserId } : externalUserId !== undefined ? { externalUserId } : byWallet;
  const found = await database.kycProfile.findFirst({
    where: { customerId, erasedAt: null, ...meant },
    orderBy: { createdAt: 'desc' },
    select: { id: true },
  });
  if (found === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  return { customerId, kycUserId: found.id };
}
