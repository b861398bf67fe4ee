import type { Database } from '../../persistence/database';

/**
 * What actions wait for on a chain.
 *
 * - `open`: some wait for a transaction, or for one to become final.
 * - `late`: none does, but what was given up is looked for on.
 */
export type OpenWork = 'open' | 'late' | 'none';

export async function openWork(database: Database, chainId: number): Promise<OpenWork> {
  const [row] = await database.$queryRaw<{ open: boolean; late: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM "ActionStep" WHERE "chainId" = ${chainId} AND status = 'SUBMITTED')
        OR EXISTS (SELECT 1 FROM "ActionCall" AS call JOIN "Action" AS action ON action.id = call."actionId"
                    WHERE call."chainId" = ${chainId} AND call.open AND action.status IN ('INITIAL', 'PENDING')) AS open,
           EXISTS (SELECT 1 FROM "ActionCall" WHERE "chainId" = ${chainId} AND open) AS late`;
  if (row?.open === true) return 'open';
  return row?.late === true ? 'late' : 'none';
}
