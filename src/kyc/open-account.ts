import { setTimeout as delay } from 'node:timers/promises';
import type { AccountOpening, Person } from '../ramps/identity-provider';
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
 * answer. Of an answer that was lost, with the process or without, the ramp's adapter learns at the next call.
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
    const { accountId, createdAt } = await table.findUniqueOrThrow({ where: { profileId_provider: id } });
    if (accountId !== null) return { accountId, kycUserId };
    const turn = await takeTurn(deps.database, id);
    if (turn !== undefined)
      return openNow(deps, { ...open, askedSince: turn === 'first' ? undefined : createdAt }, signal);
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** The turn of somebody whose question was not answered ends with this, and with the next beginning. */
const UNANSWERED = new Date(0);

/** One caller at a time; the first one ever knows that nobody has asked before. */
async function takeTurn(
  { rampAccount }: Pick<IdentityDeps['database'], 'rampAccount'>,
  id: { readonly profileId: string; readonly provider: RampId },
): Promise<'first' | 'another' | undefined> {
  const [open, checkedAt] = [{ ...id, accountId: null }, new Date()];
  const first = await rampAccount.updateMany({ where: { ...open, checkedAt: null }, data: { checkedAt } });
  if (first.count === 1) return 'first';
  const given = new Date(checkedAt.getTime() - LEASE_MS);
  const next = await rampAccount.updateMany({ where: { ...open, checkedAt: { lt: given } }, data: { checkedAt } });
  return next.count === 1 ? 'another' : undefined;
}

async function openNow(
  { database, ramps }: Pick<IdentityDeps, 'database' | 'ramps'>,
  { kycUserId, ramp, person, beforeAsking, askedSince }: OpenAccount & Pick<AccountOpening, 'askedSince'>,
  signal: AbortSignal,
): Promise<RampAccount> {
  const isTaken = async (accountId: string): Promise<boolean> =>
    (await database.rampAccount.count({ where: { provider: ramp, accountId } })) > 0;
  let accountId: string | null = null;
  try {
    await beforeAsking?.();
    const account = await ramps[ramp].openAccount(person, { kycUserId, askedSince, isTaken }, signal);
    accountId = account.accountId;
    return { accountId, kycUserId };
  } finally {
    await database.rampAccount.updateMany({
      where: { profileId: kycUserId, provider: ramp, accountId: null },
      data: { accountId, checkedAt: accountId === null ? UNANSWERED : null },
    });
  }
}
