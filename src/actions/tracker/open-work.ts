import type { Database } from '../../persistence/database';

/**
 * What actions wait for on a chain.
 *
 * - `open`: a transaction, or its finality.
 * - `late`: only late transactions of failed actions.
 */
export type OpenWork = 'open' | 'late' | 'none';

export async function openWork(database: Database, chainId: number): Promise<OpenWork> {
  const [row] = await database.$queryRaw<{ open: boolean; late: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM "ActionStep" WHERE "chainId" = ${chainId} AND status = 'SUBMITTED')
        OR EXISTS (SELECT 1 FROM "ActionCall" AS call JOIN "Action" AS action ON action.id = call."actionId"
                    WHERE call."chainId" = ${chainId} AND call.open AND call."watchedUntil" IS NULL
                      AND action.status IN ('INITIAL', 'PENDING')) AS open,
           EXISTS (SELECT 1 FROM "ActionCall" WHERE "chainId" = ${chainId} AND open) AS late`;
  if (row?.open === true) return 'open';
  return row?.late === true ? 'late' : 'none';
}
