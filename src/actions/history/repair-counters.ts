import type { Logger } from 'pino';
import { z } from 'zod';
import { describeFailure } from '../../errors/describe-failure';
import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';

/** Wallets that one statement lists. */
const BATCH_SIZE = 20;
/** Number of the advisory lock of a recount: two at a time would correct a difference twice. */
const LOCK = 72_707_370;

interface WalletKey {
  readonly customerId: string;
  readonly wallet: string;
}

const BEFORE_ALL: WalletKey = { customerId: '00000000-0000-0000-0000-000000000000', wallet: '' };
const walletRow = z.object({ customerId: z.string(), wallet: z.string() });

/** A wallet whose counters differed. */
export interface WalletDrift extends WalletKey {
  /** Sum of the absolute differences. */
  readonly drift: bigint;
}

export interface CounterRepairDeps {
  readonly database: Database;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Compares the counters of all wallets with the parties, wallet by wallet. Differences are appended as changes, from one
 * snapshot of both, so that the counters are exact while actions change. Returns the differences. A wallet that cannot be
 * recounted, such as one with too many actions for the time limit of a statement, is logged; the others are recounted.
 */
export async function repairCounters(
  { database, log }: CounterRepairDeps,
  signal: AbortSignal,
): Promise<readonly WalletDrift[]> {
  const drifts: WalletDrift[] = [];
  let wallets = await walletsAfter(database, BEFORE_ALL);
  for (let last = wallets.at(-1); last !== undefined; last = wallets.at(-1)) {
    for (const wallet of wallets) {
      if (signal.aborted) return drifts;
      const drift = await correct(database, wallet).catch((error: unknown) => {
        log.warn({ ...wallet, cause: describeFailure(error) }, 'the actions of a wallet could not be recounted');
        return 0n;
      });
      if (drift > 0n) drifts.push({ ...wallet, drift });
    }
    wallets = await walletsAfter(database, last);
  }
  return drifts;
}

/** The next wallets with parties or counters. Each step reads one row of an index, however many a wallet has. */
async function walletsAfter(database: Database, last: WalletKey): Promise<readonly WalletKey[]> {
  const rows = await database.$queryRaw`
    WITH RECURSIVE found AS (
      SELECT ${last.customerId}::uuid AS "customerId", ${last.wallet}::text AS wallet, 0 AS number
       UNION ALL
      SELECT next."customerId", next.wallet, found.number + 1
        FROM found CROSS JOIN LATERAL (
          SELECT * FROM (${Prisma.join(TABLES.map(firstBehind), ' UNION ALL ')}) AS candidate
           ORDER BY candidate."customerId", candidate.wallet LIMIT 1
        ) AS next
       WHERE found.number < ${BATCH_SIZE}
    )
    SELECT "customerId", wallet FROM found WHERE number > 0 ORDER BY number`;
  return z.array(walletRow).parse(rows);
}

const TABLES = ['"ActionParty"', '"ActionCount"', '"ActionCountChange"'].map((name) => Prisma.raw(name));

const firstBehind = (table: Prisma.Sql): Prisma.Sql => Prisma.sql`
  (SELECT counted."customerId", counted.wallet FROM ${table} AS counted
    WHERE (counted."customerId", counted.wallet) > (found."customerId", found.wallet)
    ORDER BY counted."customerId", counted.wallet LIMIT 1)`;

const KEY = Prisma.raw('"customerId", wallet, "isDraft", status, type, "isFinished"');

/** Returns the sum of the absolute differences. */
async function correct(database: Database, { customerId, wallet }: WalletKey): Promise<bigint> {
  const isOfWallet = Prisma.sql`"customerId" = ${customerId}::uuid AND wallet = ${wallet}`;
  const rows = await database.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
    return tx.$queryRaw`
      WITH counted AS (
        SELECT ${KEY}, sum(count) AS count
          FROM (SELECT ${KEY}, count FROM "ActionCount" WHERE ${isOfWallet}
                 UNION ALL
                SELECT ${KEY}, change FROM "ActionCountChange" WHERE ${isOfWallet}) AS counter
         GROUP BY ${KEY}
      ), actual AS (
        SELECT "customerId", wallet, "isDraft", status, type, "finishedAt" IS NOT NULL AS "isFinished", count(*) AS count
          FROM "ActionParty" WHERE ${isOfWallet}
         GROUP BY 1, 2, 3, 4, 5, 6
      )
      INSERT INTO "ActionCountChange" (${KEY}, change)
      SELECT ${KEY}, coalesce(actual.count, 0) - coalesce(counted.count, 0)
        FROM actual FULL JOIN counted USING (${KEY})
       WHERE coalesce(actual.count, 0) <> coalesce(counted.count, 0)
      RETURNING change`;
  });
  const changes = z.array(z.object({ change: z.bigint() })).parse(rows);
  return changes.reduce((sum, { change }) => sum + (change < 0n ? -change : change), 0n);
}
