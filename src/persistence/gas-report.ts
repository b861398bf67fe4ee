import type { Database } from './database';

/** Gas that the service has paid on one day. */
export interface GasSum {
  /** Day in UTC: `2026-03-31`. */
  readonly day: string;
  readonly chainId: string;
  readonly kind: string;
  readonly customerId: string;
  /** Name of the customer; `null` when it no longer exists. */
  readonly customer: string | null;
  /** Transactions and sponsored operations, without operations that have expired unused. */
  readonly count: number;
  /** Those of them without a price, which are missing in `costUsd`. */
  readonly unpriced: number;
  /** Sum of the maximum costs in US dollars, as decimal text. */
  readonly costUsd: string;
  /** Sum of the maximum costs in the smallest unit of the native coin, as decimal text. */
  readonly wei: string;
}

/** What the service has spent on gas in the last days, today included; the newest day and the largest sum come first. */
export const sumGasSpending = (
  database: Pick<Database, '$queryRaw'>,
  { days }: { readonly days: number },
): Promise<readonly GasSum[]> => database.$queryRaw<GasSum[]>`
  SELECT to_char(spending."createdAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, spending."chainId"::text AS "chainId",
         spending.kind, spending."customerId"::text AS "customerId", max(customer.name) AS customer,
         count(*)::int AS count, (count(*) - count(spending."costUsd"))::int AS unpriced,
         coalesce(sum(spending."costUsd"), 0)::text AS "costUsd", sum(spending.wei)::text AS wei
    FROM "GasSpending" AS spending LEFT JOIN "Customer" AS customer ON customer.id = spending."customerId"
   WHERE spending."createdAt" >= (date_trunc('day', now() AT TIME ZONE 'UTC') - make_interval(days => ${days - 1})) AT TIME ZONE 'UTC'
     AND spending."releasedAt" IS NULL
   GROUP BY 1, 2, 3, 4
   ORDER BY day DESC, coalesce(sum(spending."costUsd"), 0) DESC, 2, 3, 4`;
