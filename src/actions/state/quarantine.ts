import { describeFailure } from '../../errors/describe-failure';
import type { Database } from '../../persistence/database';

/**
 * The work in which an item failed.
 *
 * - `block`: reading the transactions of a block.
 * - `transaction`: recording a transaction that executes an action.
 * - `settlement`: ending a step whose transaction is final.
 * - `search`: reading the transactions that name a Solana reference.
 */
export type QuarantineStage = 'block' | 'transaction' | 'settlement' | 'search';

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
  /** Sender of a transaction: only its own actions wait for it. `undefined` when it may concern those of any wallet. */
  readonly sender?: string | undefined;
}

/** Seconds until the first retry; the delay doubles with each attempt up to the maximum. */
const FIRST_RETRY_SECONDS = 15;
const MAX_RETRY_SECONDS = 3600;
/** Doublings after which the maximum is exceeded anyway: a larger exponent could overflow. */
const MAX_DOUBLINGS = 10;

/** Sets an item aside, or postpones it after another failed attempt. */
export async function quarantine(
  database: Pick<Database, '$executeRaw'>,
  { chainId, stage, item, actionId, customerId, block, txHash, sender }: QuarantineItem,
  error: unknown,
): Promise<void> {
  const { name, message } = describeFailure(error);
  const text = `${name}: ${message}`.slice(0, 500).replaceAll('\0', '');
  await database.$executeRaw`
    INSERT INTO "Quarantine" AS kept
      ("chainId", stage, item, "actionId", "customerId", "blockNumber", "blockHash", "txHash", sender, error,
       "nextAt")
    VALUES (${chainId}, ${stage}, ${item}, ${actionId ?? null}::uuid, ${customerId ?? null}::uuid,
            ${block?.number ?? null}, ${block?.hash ?? null}, ${txHash ?? null},
            ${sender?.toLowerCase() ?? null}, ${text},
            now() + make_interval(secs => ${FIRST_RETRY_SECONDS}))
    ON CONFLICT ("chainId", stage, item) DO UPDATE
       SET error = excluded.error, attempts = kept.attempts + 1,
           "nextAt" = now() + make_interval(secs => least(
             ${MAX_RETRY_SECONDS}, ${FIRST_RETRY_SECONDS} * power(2, least(kept.attempts, ${MAX_DOUBLINGS}))))`;
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
  database: Pick<Database, 'quarantine'>,
  { chainId, stage }: Pick<QuarantineItem, 'chainId' | 'stage'>,
): Promise<ReadonlySet<string>> {
  const rows = await database.quarantine.findMany({
    where: { chainId, stage, nextAt: { gt: new Date() } },
    select: { item: true },
  });
  return new Set(rows.map(({ item }) => item));
}
