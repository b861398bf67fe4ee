import { randomBytes } from 'node:crypto';
import { retry } from '../async/retry';
import { deleteResponsesNaming } from '../auth/idempotency/delete-responses';
import type { CustomerId } from '../auth/principal';
import type { Database, Transaction } from '../persistence/database';
import { isContentionError } from '../persistence/database-outage';
import type { PersonalDataVault, Sealer } from '../persistence/personal-data';
import { ticketSealContext } from '../ramps/stored-ticket';
import { type KnownPerson, parseKnownPerson } from './person';
import { profileSealContext, lockProfile, type ProfileDeps, type ProfileKey } from './profile';

/** All stored data of a person. Personal data. */
export interface ExportedPerson {
  readonly kycUserId: string;
  readonly externalUserId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly person: KnownPerson;
  readonly wallets: readonly { readonly address: string; readonly linkedAt: Date }[];
  readonly ramps: readonly object[];
  /** Bank accounts saved at ramps, by the ramp's id. Account numbers are not stored. */
  readonly beneficiaries: readonly object[];
  /** Tickets at ramps, the oldest first. */
  readonly payments: readonly ExportedPayment[];
}

/** A ticket at a ramp. Personal data. */
interface ExportedPayment {
  readonly actionId: string;
  readonly provider: string;
  readonly ticketId: string | null;
  readonly createdAt: Date;
  /** The request to the ramp: amounts, wallet, payout. Null once it was erased. */
  readonly request: unknown;
  /** The ramp's response: payment instructions or deposit address. */
  readonly ticket: unknown;
}

/** One person of a customer, or all of them. */
export interface PeopleFilter {
  readonly customerId: CustomerId;
  readonly kycUserId: string | undefined;
}

const whereProfile = ({ customerId, kycUserId }: PeopleFilter) => ({
  customerId,
  erasedAt: null,
  ...(kycUserId === undefined ? {} : { id: kycUserId }),
});

/** Columns that say nothing of the person: keys, leases and the state of polls. */
const NOT_EXPORTED = {
  profileId: true,
  customerId: true,
  openingLeasedUntil: true,
  submissionLeasedUntil: true,
  pollToken: true,
  staleSince: true,
} as const;

/** The stored data of a customer's people, decrypted; the oldest first. */
export async function exportPeople(
  { database, vault }: ProfileDeps,
  people: PeopleFilter,
): Promise<readonly ExportedPerson[]> {
  const profiles = await database.kycProfile.findMany({
    where: whereProfile(people),
    orderBy: { id: 'asc' },
    include: {
      accounts: { omit: NOT_EXPORTED },
      wallets: { orderBy: { number: 'asc' }, select: { address: true, linkedAt: true } },
    },
  });
  const saved = await database.rampBeneficiary.findMany({
    where: { customerId: people.customerId, profileId: { in: profiles.map(({ id }) => id) } },
    select: { profileId: true, provider: true, beneficiaryId: true, method: true, createdAt: true },
  });
  const payments = await exportPayments({ database, vault }, { customerId: people.customerId, profiles });
  return profiles.map(({ id, externalUserId, createdAt, updatedAt, person, wallets, accounts }) => ({
    kycUserId: id,
    externalUserId,
    createdAt,
    updatedAt,
    wallets,
    ramps: accounts,
    person: parseKnownPerson(vault.open(person, profileSealContext(id))),
    beneficiaries: saved.flatMap(({ profileId, ...beneficiary }) => (profileId === id ? [beneficiary] : [])),
    payments: payments.flatMap(({ profileId, ...payment }) => (profileId === id ? [payment] : [])),
  }));
}

interface PaymentsOf {
  readonly customerId: CustomerId;
  readonly profiles: readonly { readonly id: string }[];
}

async function exportPayments({ database, vault }: ProfileDeps, { customerId, profiles }: PaymentsOf) {
  const tickets = await database.rampTicket.findMany({
    where: { customerId, profileId: { in: profiles.map(({ id }) => id) } },
    orderBy: [{ createdAt: 'asc' }, { actionId: 'asc' }],
  });
  return tickets.map(({ profileId, actionId, provider, ticketId, createdAt, request, ticket }) => {
    const decrypt = (sealed: Uint8Array | null): unknown => openedTicket(vault, actionId, sealed);
    return { profileId, actionId, provider, ticketId, createdAt, request: decrypt(request), ticket: decrypt(ticket) };
  });
}

const openedTicket = (vault: PersonalDataVault, actionId: string, sealed: Uint8Array | null): unknown =>
  sealed === null || sealed.length === 0 ? null : vault.open(sealed, ticketSealContext(actionId));

export interface Erasure {
  readonly kycUserId: string;
  /** False while a payment of the person is in progress, which needs the stored data. */
  readonly erased: boolean;
}

export interface ErasureDeps {
  readonly database: Database;
  /** Seals the responses to idempotent calls. */
  readonly responseSealer: Sealer;
}

/** Erases the stored data of a customer's people, one after the other. Decision 14 lists the data that stays. */
export async function erasePeople({ database, responseSealer }: ErasureDeps, people: PeopleFilter): Promise<Erasure[]> {
  const { customerId } = people;
  const profiles = await database.kycProfile.findMany({ where: whereProfile(people), select: { id: true } });
  const erasures: Erasure[] = [];
  const ids = new Set<string>();
  try {
    for (const { id: kycUserId } of profiles) {
      const attempt = () => database.$transaction((tx) => eraseOne(tx, { customerId, kycUserId }));
      const erased = await retry(attempt, { delaysMs: DELAYS_MS, isRetryable: isContentionError, signal: undefined });
      erasures.push({ kycUserId, erased: erased !== undefined });
      for (const id of erased ?? []) ids.add(id);
    }
  } finally {
    // Once for all people, because every response has to be decrypted. After a crash the responses expire within a day.
    if (ids.size > 0) await deleteResponsesNaming(database, responseSealer, { customerId, ids });
  }
  return erasures;
}

/** Overviews of the person's wallets may be computed and stored at the same time, in another order of locks. */
const DELAYS_MS = [50, 200, 1000];

/** The ids that identified the erased person; `undefined` while a payment of theirs is in progress. */
async function eraseOne(tx: Transaction, key: ProfileKey): Promise<readonly string[] | undefined> {
  const { kycUserId } = key;
  await lockProfile(tx, key);
  if (await hasPaymentInProgress(tx, kycUserId)) return undefined;
  const tickets = await tx.rampTicket.findMany({ where: { profileId: kycUserId }, select: { actionId: true } });
  await erase(tx, kycUserId);
  return [kycUserId, ...tickets.map(({ actionId }) => actionId)];
}

/** Includes failed payments that may still be refunded, and tickets whose action is not stored yet. */
async function hasPaymentInProgress(tx: Transaction, kycUserId: string): Promise<boolean> {
  const found = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "RampTicket" t
      LEFT JOIN "Action" a ON a.id = t."actionId" LEFT JOIN "Delivery" d ON d."actionId" = t."actionId"
     WHERE t."profileId" = ${kycUserId}::uuid
       AND (a.status IN ('INITIAL', 'PENDING') OR d.phase = 'ACTIVE'
         OR (a.id IS NULL AND t."createdAt" > now() - interval '1 hour'))
     LIMIT 1`;
  return found.length > 0;
}

const NOTHING = new Uint8Array(0);

async function erase(tx: Transaction, kycUserId: string): Promise<void> {
  const profileId = kycUserId;
  await tx.$executeRaw`
    UPDATE "Quote" q SET payout = NULL FROM "Action" a, "RampTicket" t
     WHERE q.id = a."quoteId" AND a.id = t."actionId" AND t."profileId" = ${profileId}::uuid`;
  // Quotes that were not executed; they would be deleted an hour after their deadline.
  await tx.$executeRaw`
    UPDATE "Quote" q SET payout = NULL FROM "KycWallet" w
     WHERE q.payout IS NOT NULL AND q."customerId" = w."customerId" AND w."profileId" = ${profileId}::uuid
       AND w.address IN (q.request->>'originAddress', q.request->>'destinationAddress')`;
  await tx.rampTicket.updateMany({ where: { profileId }, data: { request: NOTHING, ticket: null } });
  await tx.rampBeneficiary.deleteMany({ where: { profileId } });
  // First those that a process which stores an overview locks first.
  await tx.$executeRaw`
    DELETE FROM "WalletSnapshot" s USING "KycWallet" w
     WHERE w."profileId" = ${profileId}::uuid AND s."customerId" = w."customerId" AND s.wallet = w.address`;
  await tx.$executeRaw`
    DELETE FROM "WalletValue" v USING "KycWallet" w
     WHERE w."profileId" = ${profileId}::uuid AND v."customerId" = w."customerId" AND v.wallet = w.address`;
  // The customer keeps the wallets of its actions.
  await tx.$executeRaw`
    DELETE FROM "CustomerWallet" c USING "KycWallet" w
     WHERE w."profileId" = ${profileId}::uuid AND c."customerId" = w."customerId" AND c.address = w.address
       AND NOT EXISTS (SELECT 1 FROM "ActionParty" p WHERE p."customerId" = c."customerId" AND p.wallet = c.address)`;
  await tx.kycWallet.deleteMany({ where: { profileId } });
  // In SQL, because Prisma distinguishes JSON null from NULL.
  await tx.$executeRaw`
    UPDATE "RampAccount"
       SET "verificationLink" = NULL, verification = NULL, "rejectReason" = NULL, "submissionLeasedUntil" = NULL,
           "polledAt" = NULL, "pollToken" = NULL, "staleSince" = NULL, "updatedAt" = now()
     WHERE "profileId" = ${profileId}::uuid`;
  await tx.kycProfile.update({
    where: { id: profileId },
    data: {
      person: NOTHING,
      taxIdIndex: new Uint8Array(randomBytes(32)),
      emailIndex: null,
      externalUserId: null,
      erasedAt: new Date(),
    },
  });
  // With their deliveries and log. Last, because a change of an account that was in progress has committed its event only now.
  await tx.webhookEvent.deleteMany({ where: { subjectId: profileId } });
}
