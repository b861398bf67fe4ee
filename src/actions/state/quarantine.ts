import { describeFailure } from '../../errors/describe-failure';
import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';

/**
 * The work in which an item failed.
 *
 * - `block`: reading the transactions of a block.
 * - `transaction`: recording a transaction that executes an action.
 * - `settlement`: ending a step whose transaction is final.
 * - `search`: reading the transactions that name a Solana reference.
 * - `ledger`: reading the token transfers of a block.
 */
export type QuarantineStage = 'block' | 'transaction' | 'settlement' | 'search' | 'ledger';

/** An item that is set aside, so that the work behind it goes on. */
export interface QuarantineItem {
  readonly chainId: number;
  readonly stage: QuarantineStage;
  /** Identifies the item in its stage. */
  readonly item: string;
  /** Set for an item that concerns one action. Such an action does not expire meanwhile. */
  readonly actionId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly block?: { readonly number: bigint; readonly hash: string } | undefined;
  readonly txHash?: string | undefined;
  /** Sender of a transaction or user operation: only its actions wait. `undefined` when it may concern any wallet. */
  readonly sender?: string | undefined;
}

/** Seconds until the first retry; the delay doubles with each attempt up to the maximum. */
const FIRST_RETRY_SECONDS = 15;
const MAX_RETRY_SECONDS = 3600;
/** Doublings after which the maximum is exceeded anyway: a larger exponent could overflow. */
const MAX_DOUBLINGS = 10;

/** After a failed attempt; `kept` is the row. */
const POSTPONED = Prisma.sql`
  attempts = kept.attempts + 1,
  "nextAt" = now() + make_interval(secs => least(
    ${MAX_RETRY_SECONDS}, ${FIRST_RETRY_SECONDS} * power(2, least(kept.attempts, ${MAX_DOUBLINGS}))))`;

/**
 * Sets an item aside, or postpones it after another failed attempt. After a reorganisation the block of a transaction is
 * the new one.
 */
export async function quarantine(
  database: Pick<Database, '$executeRaw'>,
  { chainId, stage, item, actionId, customerId, block, txHash, sender }: QuarantineItem,
  error: unknown,
): Promise<void> {
  await database.$executeRaw`
    INSERT INTO "Quarantine" AS kept
      ("chainId", stage, item, "actionId", "customerId", "blockNumber", "blockHash", "txHash", sender, error,
       "nextAt")
    VALUES (${chainId}, ${stage}, ${item}, ${actionId ?? null}::uuid, ${customerId ?? null}::uuid,
            ${block?.number ?? null}, ${block?.hash ?? null}, ${txHash ?? null},
            ${sender?.toLowerCase() ?? null}, ${textOf(error)},
            now() + make_interval(secs => ${FIRST_RETRY_SECONDS}))
    ON CONFLICT ("chainId", stage, item) DO UPDATE
       SET "blockNumber" = excluded."blockNumber", "blockHash" = excluded."blockHash", sender = excluded.sender,
           error = excluded.error, ${POSTPONED}`;
}

function textOf(error: unknown): string {
  const { name, message } = describeFailure(error);
  return `${name}: ${message}`.slice(0, 500).replaceAll('\0', '');
}

/** An item as a retry has read it. A tracker may set it aside again meanwhile, with another block. */
export interface ClaimedQuarantineItem extends Pick<QuarantineItem, 'chainId' | 'stage' | 'item'> {
  readonly block: { readonly number: bigint; readonly hash: string };
  readonly attempts: number;
}

/** Postpones an item after a failed retry, unless it was set aside again meanwhile. */
export async function postponeClaimed(
  database: Pick<Database, '$executeRaw'>,
  { chainId, stage, item, block, attempts }: ClaimedQuarantineItem,
  error: unknown,
): Promise<void> {
  await database.$executeRaw`
    UPDATE "Quarantine" AS kept SET error = ${textOf(error)}, ${POSTPONED}
     WHERE kept."chainId" = ${chainId} AND kept.stage = ${stage} AND kept.item = ${item}
       AND kept."blockHash" = ${block.hash} AND kept.attempts = ${attempts}`;
}

/** Makes claimed items due again that were not retried, unless they were set aside again meanwhile. */
export async function unclaim(
  database: Pick<Database, '$executeRaw'>,
  items: readonly ClaimedQuarantineItem[],
): Promise<void> {
  if (items.length === 0) return;
  await database.$executeRaw`
    UPDATE "Quarantine" AS kept SET "nextAt" = now()
      FROM unnest(${items.map(({ chainId }) => chainId)}::bigint[], ${items.map(({ stage }) => stage)}::text[],
                  ${items.map(({ item }) => item)}::text[], ${items.map(({ block }) => block.hash)}::text[],
                  ${items.map(({ attempts }) => attempts)}::int[])
           AS claimed ("chainId", stage, item, "blockHash", attempts)
     WHERE kept."chainId" = claimed."chainId" AND kept.stage = claimed.stage AND kept.item = claimed.item
       AND kept."blockHash" = claimed."blockHash" AND kept.attempts = claimed.attempts`;
}

/** False when an item was set aside again meanwhile, or removed. Otherwise it stays as it is until the transaction ends. */
export async function isClaimed(
  tx: Pick<Database, '$queryRaw'>,
  { chainId, stage, item, block, attempts }: ClaimedQuarantineItem,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "Quarantine"
     WHERE "chainId" = ${chainId} AND stage = ${stage} AND item = ${item} AND "blockHash" = ${block.hash}
       AND attempts = ${attempts} FOR SHARE`;
  return rows.length > 0;
}

/** Removes an item after a retry. False when it was set aside again meanwhile: then it stays. */
export async function releaseClaimed(
  database: Pick<Database, 'quarantine'>,
  { chainId, stage, item, block: { hash: blockHash }, attempts }: ClaimedQuarantineItem,
): Promise<boolean> {
  const { count } = await database.quarantine.deleteMany({ where: { chainId, stage, item, blockHash, attempts } });
  return count > 0;
}

/** Removes items that were handled. */
export async function releaseItems(
  database: Pick<Database, 'quarantine'>,
  { chainId, stage, items }: Pick<QuarantineItem, 'chainId' | 'stage'> & { readonly items: readonly string[] },
): Promise<void> {
  if (items.length === 0) return;
  await database.quarantine.deleteMany({ where: { chainId, stage, item: { in: [...items] } } });
}

/** Items of a stage whose next attempt is not due yet. */
export async function postponedItems(
  database: Pick<Database, '$queryRaw'>,
  { chainId, stage }: Pick<QuarantineItem, 'chainId' | 'stage'>,
): Promise<ReadonlySet<string>> {
  const rows = await database.$queryRaw<{ item: string }[]>`
    SELECT item FROM "Quarantine" WHERE "chainId" = ${chainId} AND stage = ${stage} AND "nextAt" > now()`;
  return new Set(rows.map(({ item }) => item));
}
