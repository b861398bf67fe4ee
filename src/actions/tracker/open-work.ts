import type { Database } from '../../persistence/database';

/** True while some action waits for a transaction of this chain, or for one to become final. */
export async function hasOpenWork(database: Database, chainId: number): Promise<boolean> {
  const [row] = await database.$queryRaw<{ open: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM "ActionCall" WHERE "chainId" = ${chainId} AND open)
        OR EXISTS (SELECT 1 FROM "ActionStep" WHERE "chainId" = ${chainId} AND status = 'SUBMITTED') AS open`;
  return row?.open === true;
}
