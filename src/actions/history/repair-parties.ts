import { z } from 'zod';
import { Prisma } from '../../persistence/client/client';
import type { Database, Transaction } from '../../persistence/database';

/** Actions that one statement compares. */
const BATCH_SIZE = 2000;
const [LOWEST_ID, HIGHEST_ID] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

const idRow = z.object({ id: z.string() });

/** Compares the parties with the actions and writes those again that differ. Returns the number of such actions. */
export async function repairParties(database: Database, signal: AbortSignal): Promise<number> {
  let repaired = 0;
  for (let from = LOWEST_ID; from !== HIGHEST_ID && !signal.aborted;) {
    const to = await endOfBatch(database, from);
    const ids = await differing(database, { from, to });
    for (const id of ids) await database.$transaction((tx) => writeParties(tx, id));
    repaired += ids.length;
    from = to;
  }
  return repaired;
}

async function endOfBatch(database: Database, from: string): Promise<string> {
  const rows = await database.$queryRaw`
    SELECT id FROM "Action" WHERE id > ${from}::uuid ORDER BY id OFFSET ${BATCH_SIZE - 1} LIMIT 1`;
  return z.array(idRow).parse(rows)[0]?.id ?? HIGHEST_ID;
}

const expectedParties = (condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT action.id AS "actionId", side AS wallet, action."customerId", action.status::text AS status, action.type,
         action."isDraft", action."createdAt", action."updatedAt", action."finishedAt"
    FROM "Action" AS action
   CROSS JOIN LATERAL unnest("actionSides"(action."originAddress", action."receiverAddress")) AS side
   WHERE ${condition}`;

const VALUES = ['customerId', 'status', 'type', 'isDraft', 'createdAt', 'updatedAt', 'finishedAt'] as const;
const valuesOf = (row: string): Prisma.Sql => Prisma.raw(VALUES.map((name) => `${row}."${name}"`).join(', '));

/** Actions of a range of ids whose parties differ; `from` is exclusive. Parties without an action are included. */
async function differing(
  database: Database,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const isInRange = (id: string): Prisma.Sql =>
    Prisma.sql`${Prisma.raw(id)} > ${from}::uuid AND ${Prisma.raw(id)} <= ${to}::uuid`;
  const rows = await database.$queryRaw`
    SELECT DISTINCT coalesce(expected."actionId", party."actionId") AS id
      FROM (${expectedParties(isInRange('action.id'))}) AS expected
      FULL JOIN (SELECT * FROM "ActionParty" AS party WHERE ${isInRange('party."actionId"')}) AS party
        ON party."actionId" = expected."actionId" AND party.wallet = expected.wallet
     WHERE (${valuesOf('expected')}) IS DISTINCT FROM (${valuesOf('party')})`;
  return z
    .array(idRow)
    .parse(rows)
    .map(({ id }) => id);
}

/** The lock keeps the action from changing meanwhile. */
async function writeParties(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM "Action" WHERE id = ${id}::uuid FOR UPDATE`;
  await tx.$executeRaw`DELETE FROM "ActionParty" WHERE "actionId" = ${id}::uuid`;
  await tx.$executeRaw`
    INSERT INTO "ActionParty" ("actionId", wallet, ${Prisma.raw(VALUES.map((name) => `"${name}"`).join(', '))})
    SELECT "actionId", wallet, ${valuesOf('expected')}
      FROM (${expectedParties(Prisma.sql`action.id = ${id}::uuid`)}) AS expected`;
}
