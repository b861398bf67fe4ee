import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { invariant } from '../errors/invariant-error';
import { serviceError } from '../errors/service-error';
import { KycStatus as KycStatusColumn } from '../persistence/client/enums';
import type { Database } from '../persistence/database';
import type { RampBrands } from '../ramps/ramp-names';
import type { RampId } from '../ramps/ramp-provider';
import { resolveRamp } from './customer-rules';
import type { IdentityDeps } from './identity-deps';
import type { ProfileKey } from './profile';
import {
  type RampAccountRow,
  listRampAccounts,
  type Capabilities,
  capabilitiesOf,
  type VerificationStatus,
} from './verification';
import { pollVerification } from './poll-verification';

/** The status of a profile's verifications. The top level is the primary ramp; `ramps` has the secondary ramp, by name. */
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

/** Statuses of the secondary ramp in the API specification. */
const SECONDARY_STATUSES: Readonly<Record<VerificationStatus, string>> = {
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
 * Polls the ramps for a profile, at most once every two seconds for an account, and returns the status.
 *
 * @throws KYC_PROFILE_NOT_FOUND, INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE
 */
export async function pollKycStatus(
  deps: IdentityDeps,
  request: StatusRequest,
  signal: AbortSignal,
): Promise<KycStatus> {
  const rows = await listRampAccounts(deps.database, request);
  await Promise.all(rows.map((row) => pollVerification(deps, row, signal)));
  return loadKycStatus(deps, request);
}

type StatusDeps = Pick<IdentityDeps, 'database' | 'brands'>;

/** The stored status of a profile. Sends no request to a ramp. */
export async function loadKycStatus(deps: StatusDeps, request: StatusRequest): Promise<KycStatus> {
  const { customerId, kycUserId } = request;
  const { ramp, name } = await resolveRamp(deps, request);
  const [profile] = await activeProfiles(deps.database, { customerId, id: kycUserId });
  if (profile === undefined) throw serviceError('KYC_PROFILE_NOT_FOUND');
  return statusOf(profile, { ...deps.brands, [ramp]: name });
}

/** The stored statuses of a customer's profiles, in the order of the ids; `undefined` for profiles that do not exist. */
export async function loadKycStatuses(
  { database, brands }: StatusDeps,
  { customerId, kycUserIds }: { readonly customerId: CustomerId; readonly kycUserIds: readonly string[] },
): Promise<readonly (KycStatus | undefined)[]> {
  const profiles = await activeProfiles(database, { customerId, id: { in: [...kycUserIds] } });
  const byId = new Map(profiles.map((profile) => [profile.id, statusOf(profile, brands)]));
  return kycUserIds.map((id) => byId.get(id));
}

/** The stored statuses of the holders of wallets, in the order of the wallets. */
export async function loadKycStatusesOfWallets(
  { database, brands }: StatusDeps,
  { customerId, addresses }: { readonly customerId: CustomerId; readonly addresses: readonly string[] },
): Promise<readonly (KycStatus | undefined)[]> {
  const wallets = { some: { customerId, address: { in: [...addresses] } } };
  const byWallet = new Map<string, KycStatus>();
  for (const profile of await activeProfiles(database, { customerId, wallets })) {
    for (const { address } of profile.wallets) byWallet.set(address, statusOf(profile, brands));
  }
  return addresses.map((address) => byWallet.get(address));
}

type ProfileFilter = NonNullable<NonNullable<Parameters<Database['kycProfile']['findMany']>[0]>['where']>;

const activeProfiles = (database: Pick<Database, 'kycProfile'>, where: ProfileFilter) =>
  database.kycProfile.findMany({
    where: { ...where, erasedAt: null },
    select: {
      id: true,
      updatedAt: true,
      accounts: true,
      wallets: { orderBy: { number: 'asc' }, select: { address: true } },
    },
  });

type ShownAccount = Pick<
  RampAccountRow,
  | 'provider'
  | 'status'
  | 'providerStatus'
  | 'rejectReason'
  | 'verificationLink'
  | 'capabilities'
  | 'verification'
  | 'updatedAt'
>;

/** The columns of a profile that the status shows. */
interface StoredProfile {
  readonly id: string;
  readonly updatedAt: Date;
  readonly accounts: readonly ShownAccount[];
  readonly wallets: readonly { readonly address: string }[];
}

const jsonValue = z.json().nullable();
const instant = z.string().transform((text) => new Date(text));
const snapshotSchema = z.object({
  id: z.string(),
  updatedAt: instant,
  accounts: z.array(
    z.object({
      provider: z.string(),
      status: z.enum(KycStatusColumn),
      providerStatus: z.string().nullable(),
      rejectReason: z.string().nullable(),
      verificationLink: z.string().nullable(),
      capabilities: jsonValue,
      verification: jsonValue,
      updatedAt: instant,
    }),
  ),
  wallets: z.array(z.object({ address: z.string() })),
});

/** The status at the time of a snapshot, which the function `profileSnapshot` of the database takes. */
export const kycStatusOfSnapshot = (snapshot: unknown, brands: RampBrands): KycStatus =>
  statusOf(snapshotSchema.parse(snapshot), brands);

function statusOf({ id, updatedAt, accounts, wallets }: StoredProfile, names: RampBrands): KycStatus {
  const at = (ramp: RampId): ShownAccount | undefined => accounts.find(({ provider }) => provider === ramp);
  const [primary, secondary] = [at('primary'), at('secondary')];
  const changes = [updatedAt, ...accounts.map((account) => account.updatedAt)].map((change) => change.getTime());
  const walletAddresses = wallets.map(({ address }) => address);
  const [walletAddress] = walletAddresses;
  invariant(walletAddress !== undefined, 'a profile has at least one wallet');
  return {
    kycUserId: id,
    walletAddress,
    walletAddresses,
    ...primaryStatus(primary),
    provider: names.primary,
    ramps: secondary === undefined ? {} : { [names.secondary]: secondaryStatus(secondary) },
    updatedAt: new Date(Math.max(...changes)),
  };
}

function primaryStatus(row: ShownAccount | undefined) {
  const { BRL, USD } = capabilitiesOf(row);
  const { status = 'created', providerStatus = null, rejectReason = null } = row ?? {};
  return {
    status,
    providerStatus,
    rejectReason,
    retryable: status === 'rejected_retryable',
    brlaEnabled: BRL,
    usdEnabled: USD,
    eurEnabled: false,
  };
}

function secondaryStatus(row: ShownAccount): SecondaryStatus {
  const { status, verificationLink, verification } = row;
  return {
    status: SECONDARY_STATUSES[status],
    capabilities: capabilitiesOf(row),
    ...(verificationLink === null ? {} : { verificationLink }),
    ...(verification === null ? {} : { verification }),
  };
}
