import { pageBounds, type PageRequest, type Pagination, paginationOf } from '../../actions/pagination';
import type { CustomerId } from '../../auth/principal';
import type { RecurringCollection } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';

/** The recurring collection of fees on profit. */
export interface RecurringCollectionView {
  /** In lower case: the id under which the fees are stored. */
  readonly strategyId: string;
  readonly state: string;
  readonly intervalDays: number;
  readonly registryAddress: string;
  /** When the next run is due; null unless it is live. */
  readonly nextRunAt: Date | null;
  /** Why the last change of the entry on chain failed; null for none. */
  readonly reason: string | null;
}

const DAY_SECONDS = 86_400;

export const collectionView = (
  row: RecurringCollection & { readonly writes: readonly { readonly reason: string | null }[] },
): RecurringCollectionView => ({
  strategyId: row.strategyId,
  state: row.state,
  intervalDays: Math.max(1, Math.round(row.intervalSeconds / DAY_SECONDS)),
  registryAddress: row.registry,
  nextRunAt: row.state === 'LIVE' ? row.nextRunAt : null,
  reason: row.writes[0]?.reason ?? null,
});

/** A collection of one period. */
export interface CollectionRunView {
  readonly id: string;
  readonly state: string;
  /** When it was due. */
  readonly dueAt: Date;
  readonly finishedAt: Date | null;
  /** Wallets of the run, those that have paid, and those whose collection failed. */
  readonly wallets: number;
  readonly collectedWallets: number;
  readonly failedWallets: number;
  /** Shares of the vault that the recipients have received, in base units. */
  readonly performanceShares: string;
  readonly markupShares: string;
}

export interface CollectionRunPage {
  readonly data: readonly CollectionRunView[];
  readonly pagination: Pagination;
}

/** The runs of a collection, the newest first. @throws VALIDATION_ERROR */
export async function listCollectionRuns(
  { database }: { readonly database: Pick<Database, 'collectionRun' | '$queryRaw'> },
  { customerId, strategyId }: { readonly customerId: CustomerId; readonly strategyId: string },
  request: PageRequest,
): Promise<CollectionRunPage> {
  const bounds = pageBounds(request, { defaultLimit: 20, maximum: 100 });
  const { page, limit } = bounds;
  const [total, data] = await Promise.all([
    database.collectionRun.count({ where: { customerId, strategyId } }),
    database.$queryRaw<CollectionRunView[]>`
      WITH page AS (
        SELECT id, state, period, "finishedAt" FROM "CollectionRun"
         WHERE "customerId" = ${customerId}::uuid AND "strategyId" = ${strategyId}
         ORDER BY period DESC LIMIT ${limit} OFFSET ${(page - 1) * limit})
      SELECT page.id::text, page.state, to_timestamp(page.period) AS "dueAt", page."finishedAt",
             count(item.id)::int AS wallets,
             (count(*) FILTER (WHERE item.state = 'CONFIRMED'))::int AS "collectedWallets",
             (count(*) FILTER (WHERE item.state = 'FAILED'))::int AS "failedWallets",
             coalesce(sum(item."performanceShares"), 0)::text AS "performanceShares",
             coalesce(sum(item."markupShares"), 0)::text AS "markupShares"
        FROM page LEFT JOIN "CollectionItem" AS item ON item."runId" = page.id
       GROUP BY page.id, page.state, page.period, page."finishedAt" ORDER BY page.period DESC`,
  ]);
  return { data, pagination: paginationOf(bounds, total) };
}
