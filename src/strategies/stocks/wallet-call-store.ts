import type { Hex } from 'viem';
import { z } from 'zod';
import type { Database } from '../../persistence/database';
import type { StockOrder } from './stock-order';

/** What an order wallet sends a transaction for. */
export const CALL_KINDS = ['approve', 'invalidate', 'refund', 'sweep'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** A signed transaction of an order wallet, with those of the same nonce that it replaced, the newest first. */
export interface SignedCall {
  readonly kind: CallKind;
  readonly raws: readonly [Hex, ...Hex[]];
}

export interface StoredCall extends SignedCall {
  /** Milliseconds since the newest signature, by the clock of the database. */
  readonly ageMs: number;
}

/** Stores the transactions of order wallets before they are sent, so that each is found again after a crash. */
export interface WalletCallStore {
  /** The last transaction of the wallet of an order. */
  last(order: StockOrder): Promise<StoredCall | undefined>;
  /** False when the lease has ended: then nothing may be sent. */
  save(order: StockOrder, call: SignedCall): Promise<boolean>;
}

const callRow = z.object({
  kind: z.enum(CALL_KINDS),
  raws: z.string().transform((text) => text.split(SEPARATOR) as [Hex, ...Hex[]]),
  ageMs: z.number(),
});
const SEPARATOR = ' ';

export const createWalletCallStore = (database: Pick<Database, '$queryRaw' | '$executeRaw'>): WalletCallStore => ({
  async last({ actionId, customerId }) {
    const [row] = await database.$queryRaw<unknown[]>`
      SELECT "callKind" AS kind, "callRaw" AS raws,
             (extract(epoch FROM now() - "callSignedAt") * 1000)::float8 AS "ageMs"
        FROM "StockOrder"
       WHERE "actionId" = ${actionId}::uuid AND "customerId" = ${customerId}::uuid AND "callRaw" IS NOT NULL`;
    return row === undefined ? undefined : callRow.parse(row);
  },
  async save({ actionId, customerId, fencingToken }, { kind, raws }) {
    const saved = await database.$executeRaw`
      UPDATE "StockOrder"
         SET "callKind" = ${kind}, "callRaw" = ${raws.join(SEPARATOR)}, "callSignedAt" = now(), "updatedAt" = now()
       WHERE "actionId" = ${actionId}::uuid AND "customerId" = ${customerId}::uuid
         AND "fencingToken" = ${fencingToken} AND "leasedUntil" > now()`;
    return saved === 1;
  },
});
