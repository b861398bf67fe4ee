import type { Hex } from 'viem';
import { z } from 'zod';
import type { Database } from '../../persistence/database';
import type { StockOrder } from './stock-order';

/** What an order wallet sends a transaction for. `leftover`: tokens that are in it after its order has ended. */
export const CALL_KINDS = ['approve', 'invalidate', 'refund', 'leftover', 'sweep'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** A signed transaction of an order wallet, with those of the same nonce that it replaced, the newest first. */
export interface SignedCall {
  readonly kind: CallKind;
  readonly nonce: number;
  readonly raws: readonly [Hex, ...Hex[]];
}

export interface StoredCall extends SignedCall {
  /** Milliseconds since the newest signature, by the clock of the database. */
  readonly ageMs: number;
}

/** Stores the transactions of order wallets before they are sent, so that each is found again after a crash. */
export interface WalletCallStore {
  /** The newest transactions of the wallet of an order, one for each nonce, in the order of their nonces. */
  all(order: StockOrder): Promise<readonly StoredCall[]>;
  /**
   * Stores a transaction, or one in place of another with the same nonce and kind. False when the lease has ended: then nothing
   * may be sent.
   */
  save(order: StockOrder, call: SignedCall): Promise<boolean>;
  /** Cost of the gas that the service has given to the wallet of an order, in millionths of a US dollar. */
  gasGiven(order: StockOrder): Promise<bigint>;
}

const callRow = z.object({
  kind: z.enum(CALL_KINDS),
  nonce: z.bigint().transform((nonce) => Number.parseInt(nonce.toString(), 10)),
  raws: z.string().transform((text) => text.split(SEPARATOR) as [Hex, ...Hex[]]),
  ageMs: z.number(),
});
const SEPARATOR = ' ';
/** More than the gas of an order pays for. */
const MAX_CALLS = 50;

export const createWalletCallStore = (database: Pick<Database, '$queryRaw' | '$executeRaw'>): WalletCallStore => ({
  async all({ actionId, customerId }) {
    const rows = await database.$queryRaw<unknown[]>`
      SELECT kind, nonce, raws, (extract(epoch FROM now() - "signedAt") * 1000)::float8 AS "ageMs"
        FROM "StockOrderCall"
       WHERE "actionId" = ${actionId}::uuid AND "customerId" = ${customerId}::uuid
       ORDER BY nonce DESC LIMIT ${MAX_CALLS}`;
    return rows.map((row) => callRow.parse(row)).reverse();
  },
  async save({ actionId, customerId, fencingToken }, { kind, nonce, raws }) {
    const saved = await database.$executeRaw`
      INSERT INTO "StockOrderCall" AS call ("actionId", "customerId", nonce, kind, raws, "signedAt")
      SELECT own."actionId", own."customerId", ${nonce}::bigint, ${kind}, ${raws.join(SEPARATOR)}, now()
        FROM "StockOrder" AS own
       WHERE own."actionId" = ${actionId}::uuid AND own."customerId" = ${customerId}::uuid
         AND own."fencingToken" = ${fencingToken} AND own."leasedUntil" > now()
      ON CONFLICT ("actionId", nonce) DO UPDATE
         SET raws = excluded.raws, "signedAt" = excluded."signedAt" WHERE call.kind = excluded.kind`;
    return saved === 1;
  },
  async gasGiven({ actionId, customerId }) {
    const [row] = await database.$queryRaw<[{ given: bigint }]>`
      SELECT (coalesce(sum(spending."costUsd"), 0) * 1000000)::bigint AS given
        FROM "ServiceTransaction" AS payment JOIN "GasSpending" AS spending ON spending.id = payment.id
       WHERE payment."actionId" = ${actionId}::uuid AND payment."customerId" = ${customerId}::uuid`;
    return row.given;
  },
});
