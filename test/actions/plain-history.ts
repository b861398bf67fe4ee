import type { Pool } from 'pg';
import type { HistoryFilter } from '../../src/actions/wallet-history';

/** A history as plain SQL over the actions defines it: all ids in order. The oracle of what lists return. */
export async function plainHistory(
  pool: Pick<Pool, 'query'>,
  {
    customerId,
    wallet,
    filter,
  }: { readonly customerId: string; readonly wallet: string; readonly filter: HistoryFilter },
): Promise<readonly string[]> {
  const { status, type, sortBy, sortOrder } = filter;
  const direction = sortOrder === 'asc' ? 'ASC' : 'DESC';
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM "Action"
      WHERE "customerId" = $1 AND ("originAddress" = $2 OR "receiverAddress" = $2)
        AND ("isDraft" = false OR $3::text = 'INITIAL') AND ($3::text IS NULL OR status::text = $3) AND ($4::text IS NULL OR type = $4)
      ORDER BY "${sortBy ?? 'createdAt'}" ${direction} NULLS LAST, id ${direction}`,
    [customerId, wallet, status ?? null, type ?? null],
  );
  return rows.map(({ id }) => id);
}
