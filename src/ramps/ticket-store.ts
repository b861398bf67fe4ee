import type { CustomerId } from '../auth/principal';
import type { ChainTable } from '../chains/chain-table';
import type { Database } from '../persistence/database';
import type { PersonalDataVault } from '../persistence/personal-data';
import type { RampId, Ticket, TicketRequest } from './ramp-provider';
import { parseTicket, parseTicketRequest, ticketContextOf, ticketJson, ticketRequestJson } from './stored-ticket';

/** A ticket that a ramp was asked for. `ticket` is `undefined` while it is not known whether the ramp heard. */
export interface StoredTicket {
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
  /** Notes what is about to be asked for. False when the action has a ticket already: nobody may ask then. */
  intend(ticket: NewTicket): Promise<boolean>;
  /** Notes what the ramp answered. */
  keep(actionId: string, ticket: Ticket): Promise<void>;
  /** Forgets a request that the ramp has refused, or can hear no more. What was answered stays. */
  withdraw(actionId: string): Promise<void>;
  /** Lets one process look at a ticket; false while another one does. */
  lease(actionId: string): Promise<boolean>;
  release(actionId: string): Promise<void>;
}

export interface TicketStoreDeps {
  readonly database: Pick<Database, 'rampTicket' | '$queryRaw'>;
  readonly vault: PersonalDataVault;
  readonly chains: ChainTable;
}

/** Longer than a look may take. */
const LEASE_SECONDS = 45;

export interface Row {
  readonly request: Uint8Array;
  readonly ticket: Uint8Array | null;
  readonly ageSeconds: number;
}

export function createTicketStore({ database, vault, chains }: TicketStoreDeps): TicketStore {
  return {
    async find(actionId) {
      const [row] = await database.$queryRaw<Row[]>`
        SELECT request, ticket, extract(epoch FROM now() - "createdAt")::float8 AS "ageSeconds"
          FROM "RampTicket" WHERE "actionId" = ${actionId}::uuid`;
      if (row === undefined) return undefined;
      const open = (sealed: Uint8Array): unknown => vault.open(sealed, ticketContextOf(actionId));
      return {
        request: parseTicketRequest(open(row.request), chains),
        ticket: row.ticket === null ? undefined : parseTicket(open(row.ticket)),
        ageSeconds: row.ageSeconds,
      };
    },
    async intend({ customerId, ramp, request }) {
      const { externalId: actionId, account } = request;
      const { count } = await database.rampTicket.createMany({
        data: [
          {
            ...{ actionId, customerId, provider: ramp, profileId: account.kycUserId, accountId: account.accountId },
            request: vault.seal(ticketRequestJson(request), ticketContextOf(actionId)),
          },
        ],
        skipDuplicates: true,
      });
      return count === 1;
    },
    async keep(actionId, ticket) {
      const sealed = vault.seal(ticketJson(ticket), ticketContextOf(actionId));
      await database.rampTicket.update({
        where: { actionId },
        data: { ticketId: ticket.ticketId, ticket: sealed },
      });
    },
    async withdraw(actionId) {
      await database.rampTicket.deleteMany({ where: { actionId, ticketId: null } });
    },
    async lease(actionId) {
      const leased = await database.$queryRaw<unknown[]>`
        UPDATE "RampTicket" SET "leasedUntil" = now() + make_interval(secs => ${LEASE_SECONDS})
         WHERE "actionId" = ${actionId}::uuid AND ("leasedUntil" IS NULL OR "leasedUntil" < now())
        RETURNING 1`;
      return leased.length === 1;
    },
    async release(actionId) {
      await database.rampTicket.updateMany({ where: { actionId }, data: { leasedUntil: null } });
    },
  };
}
