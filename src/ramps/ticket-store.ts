import type { CustomerId } from '../auth/principal';
import type { ChainTable } from '../chains/chain-table';
import { serviceError } from '../errors/service-error';
import { Prisma } from '../persistence/client/client';
import type { Database, Transaction } from '../persistence/database';
import type { PersonalDataVault } from '../persistence/personal-data';
import type { RampId, Ticket, TicketRequest } from './ramp-provider';
import { parseTicket, parseTicketRequest, ticketSealContext, ticketJson, ticketRequestJson } from './stored-ticket';

/** Identifies one request for a ticket among later ones for the same action: the sealed request as it is stored. */
export type TicketIntent = Uint8Array<ArrayBuffer>;

/** End of a lease, which also identifies its holder. */
export type TicketLease = Date;

/** The stored request for a ticket. `ticket` is `undefined` while the outcome of the request is unknown. */
export interface StoredTicket {
  readonly customerId: CustomerId;
  readonly intent: TicketIntent;
  readonly request: TicketRequest;
  readonly ticket: Ticket | undefined;
  /** Seconds since the intent was recorded, by the clock of the database. */
  readonly ageSeconds: number;
}

export interface NewTicket {
  readonly customerId: CustomerId;
  readonly ramp: RampId;
  /** `externalId` is the id of the action. */
  readonly request: TicketRequest;
}

/** Stores requests for tickets before they are sent, and the tickets afterwards. An action has one ticket. */
export interface TicketStore {
  find(actionId: string): Promise<StoredTicket | undefined>;
  /** Records a request before it is sent. `undefined` when the action already has one: then no request may be sent. */
  recordIntent(ticket: NewTicket): Promise<TicketIntent | undefined>;
  /**
   * Stores the ramp's ticket. False when the request was withdrawn meanwhile: the ticket belongs to no action.
   *
   * @throws BYTECODE_GENERATION_FAILED when the ticket belongs to another action
   */
  saveTicket(actionId: string, intent: TicketIntent, ticket: Ticket): Promise<boolean>;
  /** Deletes a request that the ramp has refused or did not receive. A stored ticket stays, and so does a later request. */
  withdraw(actionId: string, intent: TicketIntent): Promise<void>;
  /**
   * Leases a ticket for a poll; `undefined` while another process holds the lease. With `ofAccount`, also while another
   * ticket of the same account is leased, because the balance at the ramp belongs to all tickets of the account.
   */
  lease(actionId: string, options?: { readonly ofAccount?: boolean }): Promise<TicketLease | undefined>;
  /** Ends a lease. Does not affect the lease that another process took after this one had expired. */
  release(actionId: string, lease: TicketLease): Promise<void>;
  /**
   * Assigns a settlement on chain to an action: the first candidate that is assigned to no other action. Idempotent.
   * Resolves to the log index of the settlement; `undefined` when no candidate is left.
   */
  assignSettlement(actionId: string, candidates: SettlementCandidates): Promise<number | undefined>;
}

/** Transfers of a ramp in one transaction that may be the settlement of an action. */
export interface SettlementCandidates {
  readonly chainId: number;
  readonly txHash: string;
  /** Log indexes of the transfers in their block, the likeliest first. */
  readonly logIndexes: readonly number[];
}

export interface TicketStoreDeps {
  readonly database: Pick<Database, 'rampTicket' | '$queryRaw' | '$transaction'>;
  readonly vault: PersonalDataVault;
  readonly chains: ChainTable;
}

/** Longer than the timeout of a poll. */
const LEASE_SECONDS = 45;

interface Row {
  readonly customerId: CustomerId;
  readonly request: TicketIntent;
  readonly ticket: Uint8Array | null;
  readonly ageSeconds: number;
}

/** A ramp without external ids finds tickets by amount and wallet, so it may return the ticket of another action. */
function refuseTicketOfOtherAction(cause: unknown): never {
  const isTaken = cause instanceof Prisma.PrismaClientKnownRequestError && cause.code === 'P2002';
  if (!isTaken) throw cause;
  throw serviceError(
    'BYTECODE_GENERATION_FAILED',
    { reason: 'the ramp returned the ticket of another action' },
    { cause },
  );
}

export function createTicketStore({ database, vault, chains }: TicketStoreDeps): TicketStore {
  return {
    async find(actionId) {
      const [row] = await database.$queryRaw<Row[]>`
        SELECT "customerId", request, ticket, extract(epoch FROM now() - "createdAt")::float8 AS "ageSeconds"
          FROM "RampTicket" WHERE "actionId" = ${actionId}::uuid`;
      if (row === undefined) return undefined;
      const decrypt = (sealed: Uint8Array): unknown => vault.open(sealed, ticketSealContext(actionId));
      return {
        customerId: row.customerId,
        intent: row.request,
        request: parseTicketRequest(decrypt(row.request), chains),
        ticket: row.ticket === null ? undefined : parseTicket(decrypt(row.ticket)),
        ageSeconds: row.ageSeconds,
      };
    },
    async recordIntent({ customerId, ramp, request }) {
      const { externalId: actionId, account } = request;
      const intent = vault.seal(ticketRequestJson(request), ticketSealContext(actionId));
      const { count } = await database.rampTicket.createMany({
        data: [
          {
            actionId,
            customerId,
            provider: ramp,
            profileId: account.kycUserId,
            accountId: account.accountId,
            request: intent,
          },
        ],
        skipDuplicates: true,
      });
      return count === 1 ? intent : undefined;
    },
    async saveTicket(actionId, intent, ticket) {
      const sealed = vault.seal(ticketJson(ticket), ticketSealContext(actionId));
      const data = { ticketId: ticket.ticketId, ticket: sealed };
      const saved = database.rampTicket.updateMany({ where: { actionId, request: intent }, data });
      const { count } = await saved.catch(refuseTicketOfOtherAction);
      return count === 1;
    },
    async withdraw(actionId, intent) {
      await database.rampTicket.deleteMany({ where: { actionId, request: intent, ticketId: null } });
    },
    lease: (actionId, { ofAccount = false } = {}) =>
      ofAccount
        ? database.$transaction((tx) => leaseOfAccount(tx, actionId))
        : leaseWhere(database, actionId, Prisma.empty),
    async release(actionId, lease) {
      await database.rampTicket.updateMany({ where: { actionId, leasedUntil: lease }, data: { leasedUntil: null } });
    },
    assignSettlement: (actionId, candidates) =>
      database.$transaction((tx) => assignSettlement(tx, actionId, candidates)),
  };
}

async function leaseWhere(
  database: Pick<Database, '$queryRaw'>,
  actionId: string,
  condition: Prisma.Sql,
): Promise<TicketLease | undefined> {
  const [leased] = await database.$queryRaw<{ leasedUntil: Date }[]>`
    UPDATE "RampTicket" AS ticket SET "leasedUntil" = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     WHERE "actionId" = ${actionId}::uuid AND ("leasedUntil" IS NULL OR "leasedUntil" < clock_timestamp()) ${condition}
    RETURNING "leasedUntil"`;
  return leased?.leasedUntil;
}

/** An advisory lock for the account lets one caller decide at a time, with the leases of the callers before. */
async function leaseOfAccount(tx: Pick<Transaction, '$queryRaw'>, actionId: string): Promise<TicketLease | undefined> {
  await tx.$queryRaw`
    SELECT 1 FROM (
      SELECT pg_advisory_xact_lock(hashtextextended('polls ' || provider || ' ' || "accountId", 0))
        FROM "RampTicket" WHERE "actionId" = ${actionId}::uuid) AS locked`;
  const noOtherLease = Prisma.sql`AND NOT EXISTS (
    SELECT 1 FROM "RampTicket" AS other
     WHERE other.provider = ticket.provider AND other."accountId" = ticket."accountId"
       AND other."actionId" <> ticket."actionId" AND other."leasedUntil" > clock_timestamp())`;
  return leaseWhere(tx, actionId, noOtherLease);
}

/** An advisory lock for the transaction lets one caller decide at a time. */
async function assignSettlement(
  tx: Transaction,
  actionId: string,
  { chainId, txHash, logIndexes }: SettlementCandidates,
): Promise<number | undefined> {
  const transaction = `${String(chainId)}:${txHash.toLowerCase()}`;
  await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`settled by ${transaction}`}, 0))`;
  const { paidBy: assigned } = await tx.rampTicket.findUniqueOrThrow({ where: { actionId } });
  for (const logIndex of logIndexes) {
    const paidBy = `${transaction}:${String(logIndex)}`;
    if (assigned === paidBy || (await assignIfFree(tx, { actionId, transaction, paidBy }))) return logIndex;
  }
  return undefined;
}

interface SettlementAssignment {
  readonly actionId: string;
  /** Older rows hold a whole transaction, which stands for each of its transfers. */
  readonly transaction: string;
  readonly paidBy: string;
}

async function assignIfFree(
  tx: Transaction,
  { actionId, transaction, paidBy }: SettlementAssignment,
): Promise<boolean> {
  const updated = await tx.$queryRaw<unknown[]>`
    UPDATE "RampTicket" SET "paidBy" = ${paidBy}
     WHERE "actionId" = ${actionId}::uuid AND coalesce("paidBy", ${paidBy}) IN (${paidBy}, ${transaction})
       AND NOT EXISTS (
         SELECT 1 FROM "RampTicket" WHERE "paidBy" IN (${paidBy}, ${transaction}) AND "actionId" <> ${actionId}::uuid)
    RETURNING 1`;
  return updated.length === 1;
}
