import type { CustomerId } from '../auth/principal';
import type { ChainTable } from '../chains/chain-table';
import { serviceError } from '../errors/service-error';
import { Prisma } from '../persistence/client/client';
import type { Database, Transaction } from '../persistence/database';
import type { PersonalDataVault } from '../persistence/personal-data';
import type { RampId, Ticket, TicketRequest } from './ramp-provider';
import { parseTicket, parseTicketRequest, ticketSealContext, ticketJson, ticketRequestJson } from './stored-ticket';

/** Tells one request for a ticket from a later one for the same action: as it is stored, sealed. */
export type TicketIntent = Uint8Array<ArrayBuffer>;

/** Tells whose look at a ticket it is: until when it may last. */
export type TicketLease = Date;

/** A ticket that a ramp was asked for. `ticket` is `undefined` while it is not known whether the ramp heard. */
export interface StoredTicket {
  readonly customerId: CustomerId;
  readonly intent: TicketIntent;
  readonly request: TicketRequest;
  readonly ticket: Ticket | undefined;
  /** How long ago it was asked for, by the clock of the database. */
  readonly ageSeconds: number;
}

export interface NewTicket {
  readonly customerId: CustomerId;
  readonly ramp: RampId;
  /** Its `externalId` is the id of the action. */
  readonly request: TicketRequest;
}

/** Keeps what ramps are asked for, before they are asked. An action has one ticket. */
export interface TicketStore {
  find(actionId: string): Promise<StoredTicket | undefined>;
  /** Notes what is about to be asked for. `undefined` when the action has a ticket already: nobody may ask then. */
  recordIntent(ticket: NewTicket): Promise<TicketIntent | undefined>;
  /**
   * Notes what the ramp answered. False when that request was withdrawn meanwhile: its ticket is nobody's.
   *
   * @throws BYTECODE_GENERATION_FAILED when it is the ticket of another action
   */
  saveTicket(actionId: string, intent: TicketIntent, ticket: Ticket): Promise<boolean>;
  /** Forgets a request that the ramp has refused, or can hear no more. What was answered stays, and so does a later request. */
  withdraw(actionId: string, intent: TicketIntent): Promise<void>;
  /**
   * Lets one process look at a ticket; `undefined` while another one does. With `ofAccount`, also while another ticket of
   * the same account at the ramp is looked at: what the ramp holds there is of all of them.
   */
  lease(actionId: string, options?: { readonly ofAccount?: boolean }): Promise<TicketLease | undefined>;
  /** Ends a look; that of another process, which began when this one's time was over, goes on. */
  release(actionId: string, lease: TicketLease): Promise<void>;
  /**
   * Counts a payment of the ramp for an action, the same one whenever it is asked: the first of those that may be its own
   * which counts for no other action. Resolves to its place among the events; `undefined` when there is none.
   */
  assignSettlement(actionId: string, payments: SettlementCandidates): Promise<number | undefined>;
}

/** Payments of a ramp by one transaction. */
export interface SettlementCandidates {
  readonly chainId: number;
  readonly txHash: string;
  /** Where the events of those that may be the action's own stand in their block, the likeliest first. */
  readonly logIndexes: readonly number[];
}

export interface TicketStoreDeps {
  readonly database: Pick<Database, 'rampTicket' | '$queryRaw' | '$transaction'>;
  readonly vault: PersonalDataVault;
  readonly chains: ChainTable;
}

/** Longer than a look may take. */
const LEASE_SECONDS = 45;

interface Row {
  readonly customerId: CustomerId;
  readonly request: TicketIntent;
  readonly ticket: Uint8Array | null;
  readonly ageSeconds: number;
}

/** A ramp that keeps no id of ours is asked what it has by amount and wallet: it may name another's. */
function refuseTaken(cause: unknown): never {
  const isTaken = cause instanceof Prisma.PrismaClientKnownRequestError && cause.code === 'P2002';
  if (!isTaken) throw cause;
  throw serviceError(
    'BYTECODE_GENERATION_FAILED',
    { reason: 'the ramp names the ticket of another action' },
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
      const open = (sealed: Uint8Array): unknown => vault.open(sealed, ticketSealContext(actionId));
      return {
        customerId: row.customerId,
        intent: row.request,
        request: parseTicketRequest(open(row.request), chains),
        ticket: row.ticket === null ? undefined : parseTicket(open(row.ticket)),
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
      const told = { ticketId: ticket.ticketId, ticket: sealed };
      const kept = database.rampTicket.updateMany({ where: { actionId, request: intent }, data: told });
      const { count } = await kept.catch(refuseTaken);
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
    assignSettlement: (actionId, payments) => database.$transaction((tx) => assignSettlement(tx, actionId, payments)),
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

/** One at a time decides that for an account, and sees what the one before has decided. */
async function leaseOfAccount(tx: Pick<Transaction, '$queryRaw'>, actionId: string): Promise<TicketLease | undefined> {
  await tx.$queryRaw`
    SELECT 1 FROM (
      SELECT pg_advisory_xact_lock(hashtextextended('looks at ' || provider || ' ' || "accountId", 0))
        FROM "RampTicket" WHERE "actionId" = ${actionId}::uuid) AS locked`;
  const nobodyElse = Prisma.sql`AND NOT EXISTS (
    SELECT 1 FROM "RampTicket" AS other
     WHERE other.provider = ticket.provider AND other."accountId" = ticket."accountId"
       AND other."actionId" <> ticket."actionId" AND other."leasedUntil" > clock_timestamp())`;
  return leaseWhere(tx, actionId, nobodyElse);
}

/** One at a time decides that for a transaction. */
async function assignSettlement(
  tx: Transaction,
  actionId: string,
  { chainId, txHash, logIndexes }: SettlementCandidates,
): Promise<number | undefined> {
  const transaction = `${String(chainId)}:${txHash.toLowerCase()}`;
  await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`paid by ${transaction}`}, 0))`;
  const { paidBy: own } = await tx.rampTicket.findUniqueOrThrow({ where: { actionId } });
  for (const logIndex of logIndexes) {
    const paidBy = `${transaction}:${String(logIndex)}`;
    if (own === paidBy || (await isCounted(tx, { actionId, transaction, paidBy }))) return logIndex;
  }
  return undefined;
}

interface Counting {
  readonly actionId: string;
  /** Whole transactions were counted once: what was counted so counts for all of its payments. */
  readonly transaction: string;
  readonly paidBy: string;
}

async function isCounted(tx: Transaction, { actionId, transaction, paidBy }: Counting): Promise<boolean> {
  const counted = await tx.$queryRaw<unknown[]>`
    UPDATE "RampTicket" SET "paidBy" = ${paidBy}
     WHERE "actionId" = ${actionId}::uuid AND coalesce("paidBy", ${paidBy}) IN (${paidBy}, ${transaction})
       AND NOT EXISTS (
         SELECT 1 FROM "RampTicket" WHERE "paidBy" IN (${paidBy}, ${transaction}) AND "actionId" <> ${actionId}::uuid)
    RETURNING 1`;
  return counted.length === 1;
}
