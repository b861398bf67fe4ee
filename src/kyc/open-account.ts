import { setTimeout as delay } from 'node:timers/promises';
import type { Person } from '../ramps/identity-provider';
import type { RampAccount, RampId } from '../ramps/ramp-provider';
import type { IdentityDeps } from './identity-deps';
import type { ProfileKey } from './profile';

/** Whoever began to open an account and was not heard of for that long is followed by another. */
const LEASE_MS = 30_000;
const LOOK_AGAIN_MS = 200;

export interface OpenAccount extends ProfileKey {
  readonly ramp: RampId;
  readonly person: Person;
  /** Done by whoever asks the ramp, before that. */
  readonly beforeAsking?: () => Promise<void>;
}

/**
 * The account of a profile at a ramp, opened at the first call. One caller at a time asks the ramp; the others wait for its
 * answer. A lost answer is looked up by the ramp's adapter at the next call.
 *
 * @throws what the ramp's `openAccount` throws
 */
export async function openAccount(
  deps: Pick<IdentityDeps, 'database' | 'ramps'>,
  open: OpenAccount,
  signal: AbortSignal,
): Promise<RampAccount> {
  const { customerId, kycUserId, ramp } = open;
  const table = deps.database.rampAccount;
  const id = { profileId: kycUserId, provider: ramp };
  await table.createMany({ data: [{ ...id, customerId }], skipDuplicates: true });
  for (;;) {
    const { accountId } = await table.findUniqueOrThrow({ where: { profileId_provider: id } });
    if (accountId !== null) return { accountId, kycUserId };
    const given = new Date(Date.now() - LEASE_MS);
    const { count } = await table.updateMany({
      where: { ...id, accountId: null, OR: [{ checkedAt: null }, { checkedAt: { lt: given } }] },
      data: { checkedAt: new Date() },
    });
    if (count === 1) return openNow(deps, open, signal);
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

async function openNow(
  { database, ramps }: Pick<IdentityDeps, 'database' | 'ramps'>,
  { kycUserId, ramp, person, beforeAsking }: OpenAccount,
  signal: AbortSignal,
): Promise<RampAccount> {
  let accountId: string | null = null;
  try {
    await beforeAsking?.();
    const account = await ramps[ramp].openAccount(person, kycUserId, signal);
    accountId = account.accountId;
    return { accountId, kycUserId };
  } finally {
    // The lease ends either way.
    await database.rampAccount.updateMany({
      where: { profileId: kycUserId, provider: ramp, accountId: null },
      data: { accountId, checkedAt: null },
    });
  }
}
