import type { Prisma } from '../persistence/client/client';
import { fenced } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';

/**
 * Wallets of a customer that are counted, for each customer of a run, and wallets that one run moves. Between two customers
 * with more than half as many none is moved.
 */
const [MAX_COUNTED, MAX_MOVED] = [1000, 5000];

/**
 * Moves wallets that several customers watch into the turns of the one with the fewest wallets to read, where it has at most
 * half as many, also then: a customer with many wallets delays none of another customer by watching it, and no wallet is moved
 * to and fro. `range` is the condition for the coverage of these wallets. Returns the number of wallets.
 *
 * Waits for no lock on a wallet: another run moves it.
 */
export const shareTurns = (
  deps: Pick<LedgerDeps, 'database' | 'replicaId' | 'leaseSeconds'>,
  chainId: number,
  range: Prisma.Sql,
): Promise<number> =>
  fenced(
    deps,
    chainId,
    (tx) => tx.$executeRaw`
    UPDATE "WalletBackfill" AS moved SET "customerId" = chosen."customerId"
      FROM (
        WITH shared AS MATERIALIZED (
          SELECT own."walletId", own."customerId" AS "turnOf", other."customerId"
            FROM (SELECT * FROM "WalletCoverage" WHERE ${range}) AS other
            JOIN "WalletBackfill" AS own ON own."walletId" = other."walletId" AND own."chainId" = ${chainId}
           WHERE own.state = 'walking' AND other."fromBlock" IS NOT NULL AND other."customerId" <> own."customerId"
        ), queue AS MATERIALIZED (
          SELECT customer.id, waiting.count
            FROM (SELECT "turnOf" AS id FROM shared UNION SELECT "customerId" FROM shared) AS customer
           CROSS JOIN LATERAL (
             SELECT count(*) FROM (SELECT 1 FROM "WalletBackfill" AS own
                                    WHERE own."chainId" = ${chainId} AND own.state = 'walking'
                                      AND own."customerId" = customer.id LIMIT ${MAX_COUNTED}) AS counted) AS waiting
        ), shortest AS (
          SELECT DISTINCT ON (shared."walletId") shared."walletId", shared."customerId",
                 longer.count AS longer, shorter.count AS shorter
            FROM shared JOIN queue AS longer ON longer.id = shared."turnOf"
            JOIN queue AS shorter ON shorter.id = shared."customerId"
           ORDER BY shared."walletId", shorter.count, shared."customerId"
        ), placed AS (
          SELECT *, shorter + row_number() OVER (PARTITION BY "customerId" ORDER BY "walletId") AS length
            FROM shortest WHERE 2 * (shorter + 1) <= longer
        )
        SELECT own."walletId", placed."customerId"
          FROM placed JOIN "WalletBackfill" AS own ON own."walletId" = placed."walletId" AND own."chainId" = ${chainId}
         WHERE 2 * placed.length <= placed.longer AND own.state = 'walking'
         ORDER BY own."walletId" LIMIT ${MAX_MOVED} FOR NO KEY UPDATE OF own SKIP LOCKED
      ) AS chosen
     WHERE moved."walletId" = chosen."walletId" AND moved."chainId" = ${chainId}`,
  );
