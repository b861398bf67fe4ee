import { setTimeout as delay } from 'node:timers/promises';
import { runForService } from '../persistence/customer-scope';
import type { AccountOpening, Person } from '../ramps/kyc-provider';
import type { RampAccount, RampId } from '../ramps/ramp-provider';
import type { IdentityDeps } from './identity-deps';
import type { ProfileKey } from './profile';

/** Time after which another process may take over an opening that has not ended. */
const LEASE_MS = 30_000;
const LEASE_POLL_MS = 200;

export interface NewRampAccount extends ProfileKey {
  readonly ramp: RampId;
  readonly person: Person;
  /** Runs under the lease, before the request is sent to the ramp. */
  readonly beforeRequest?: () => Promise<void>;
}

/**
 * Returns the account of a profile at a ramp, and opens it at the first call. One caller at a time sends the request; the
 * others wait for its response. A response that was lost is found by the ramp's adapter at the next call.
 *
 * @throws the codes of `RampKycProvider.openAccount`
 */
export async function openRampAccount(
  deps: Pick<IdentityDeps, 'database' | 'ramps'>,
  account: NewRampAccount,
  signal: AbortSignal,
): Promise<RampAccount> {
  const { customerId, kycUserId, ramp } = account;
  const table = deps.database.rampAccount;
  const id = { profileId: kycUserId, provider: ramp };
  await table.createMany({ data: [{ ...id, customerId }], skipDuplicates: true });
  for (;;) {
    const row = await table.findUniqueOrThrow({ where: { profileId_provider: id } });
    if (row.accountId !== null) return { accountId: row.accountId, kycUserId };
    const requestedSince = row.openingStartedAt ?? undefined;
    if (await leaseOpening(deps.database, { ...id, requestedSince })) {
      return openLeased(deps, { ...account, requestedSince }, signal);
    }
    await delay(LEASE_POLL_MS, undefined, { signal });
  }
}

interface Opening extends Pick<AccountOpening, 'requestedSince'> {
  readonly profileId: string;
  readonly provider: RampId;
}

/** Takes the lease of an opening. False while another process holds it, or when one took it since the row was read. */
async function leaseOpening(
  { rampAccount }: Pick<IdentityDeps['database'], 'rampAccount'>,
  { profileId, provider, requestedSince: openingStartedAt }: Opening,
): Promise<boolean> {
  const now = new Date();
  const openingLeasedUntil = new Date(now.getTime() + LEASE_MS);
  const isFree = { OR: [{ openingLeasedUntil: null }, { openingLeasedUntil: { lt: now } }] };
  const { count } = await rampAccount.updateMany({
    where: { profileId, provider, accountId: null, openingStartedAt: openingStartedAt ?? null, ...isFree },
    data: { openingLeasedUntil, openingStartedAt: openingStartedAt ?? now },
  });
  return count === 1;
}

/** Stores the account, or releases the lease when the request failed. */
async function openLeased(
  { database, ramps }: Pick<IdentityDeps, 'database' | 'ramps'>,
  { kycUserId, ramp, person, beforeRequest, requestedSince }: NewRampAccount & Pick<AccountOpening, 'requestedSince'>,
  signal: AbortSignal,
): Promise<RampAccount> {
  const isTaken = async (accountId: string): Promise<boolean> =>
    (await runForService('rampAccounts', () => database.rampAccount.count({ where: { provider: ramp, accountId } }))) >
    0;
  const where = { profileId: kycUserId, provider: ramp, accountId: null };
  let accountId: string | null = null;
  try {
    await beforeRequest?.();
    const account = await ramps[ramp].openAccount(person, { kycUserId, requestedSince, isTaken }, signal);
    accountId = account.accountId;
    return { accountId, kycUserId };
  } finally {
    await database.rampAccount.updateMany({ where, data: { accountId, openingLeasedUntil: null } });
  }
}
