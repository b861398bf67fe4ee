import type { CustomerId } from '../auth/principal';
import { customerLimitSql } from '../persistence/customer-limit';
import { Prisma } from '../persistence/client/client';
import { lockWatches } from './ledger-cursor';
import { type LedgerDeps, TRANSFERS } from './ledger-deps';
import { watchOnSolana } from './solana/solana-watches';

/** Wallets of one customer that one run decides about: customers take turns. */
const MAX_WALLETS_PER_CUSTOMER = 200;
/** Customers whose wallets one run decides about. */
const MAX_CUSTOMERS = 500;
/** When a wallet that the limit of its customer refused is tried again. */
const REFUSED_SECONDS = 3600;

interface WatchDeps extends Pick<LedgerDeps, 'database' | 'watch'> {
  /** Ids of the Solana chains whose movements are recorded; none by default. */
  readonly solanaChainIds?: readonly number[];
}

/** What one run decided. */
export interface WatchDecisions {
  readonly watched: number;
  /** Wallets above the limit of their customer. */
  readonly refused: number;
}

/**
 * Requests that wallets are watched, once for each wallet. A worker decides within the limit of the customer. Ignores
 * addresses that are no wallets of the customer. Addresses of other kinds of chains than EVM are Solana keys: callers leave
 * out others.
 */
export async function requestWatches(
  database: Pick<WatchDeps['database'], '$executeRaw'>,
  { customerId, addresses }: { readonly customerId: CustomerId; readonly addresses: readonly string[] },
): Promise<void> {
  // The lock keeps an erasure from removing the wallet, without its request, meanwhile.
  await database.$executeRaw`
    INSERT INTO "WatchRequest" ("customerId", address)
    SELECT own."customerId", own.address FROM "CustomerWallet" AS own
     WHERE own."customerId" = ${customerId}::uuid AND own.address = ANY (${[...addresses]}::text[])
       AND NOT EXISTS (SELECT 1 FROM "SolanaWallet" AS wallet
                         JOIN "SolanaWatch" AS watch ON watch."walletId" = wallet.id AND watch."customerId" = own."customerId"
                        WHERE wallet.address = own.address)
       AND NOT EXISTS (SELECT 1 FROM "WatchedWallet" AS wallet
                         JOIN "WalletWatch" AS watch ON watch."walletId" = wallet.id AND watch."customerId" = own."customerId"
                        WHERE wallet.address = lower(own.address))
     ORDER BY own.address FOR KEY SHARE OF own
    ON CONFLICT DO NOTHING`;
}

/**
 * Watches the wallets whose movements customers have requested, up to the limit of each customer. Returns what it decided; after
 * a run without decisions no wallet waits.
 */
export async function watchWallets(deps: WatchDeps): Promise<WatchDecisions> {
  const { database } = deps;
  const customers = await waitingCustomers(database);
  if (customers.length === 0) return { watched: 0, refused: 0 };
  const decisions = { watched: 0, refused: 0 };
  for (const customerId of customers) {
    const { watched, refused } = await watchOfCustomer(deps, customerId);
    decisions.watched += watched;
    decisions.refused += refused;
  }
  return decisions;
}

/** Customers with wallets that wait. Some index entries are read for each of them, however many wallets they have. */
async function waitingCustomers(database: WatchDeps['database']): Promise<readonly string[]> {
  const rows = await database.$queryRaw<{ customerId: string }[]>`
    WITH RECURSIVE known AS (
      (SELECT "customerId" FROM "WatchRequest"
        WHERE EXISTS (SELECT 1 FROM "WatchRequest" WHERE "nextAt" <= now()) ORDER BY "customerId" LIMIT 1)
      UNION ALL
      SELECT (SELECT next."customerId" FROM "WatchRequest" AS next
               WHERE next."customerId" > known."customerId" ORDER BY next."customerId" LIMIT 1)
        FROM known WHERE known."customerId" IS NOT NULL
    )
    SELECT "customerId" FROM known
     WHERE EXISTS (SELECT 1 FROM "WatchRequest" AS due
                    WHERE due."customerId" = known."customerId" AND due."nextAt" <= now())
     LIMIT ${MAX_CUSTOMERS}`;
  return rows.map(({ customerId }) => customerId);
}

async function watchOfCustomer(
  { database, watch, solanaChainIds = [] }: WatchDeps,
  customerId: string,
): Promise<WatchDecisions> {
  const maximum = customerLimitSql(customerId, 'watchedWallets', { ofDeployment: watch.maxWatchedWallets });
  return database.$transaction(async (tx) => {
    await lockWatches(tx);
    const [row] = await tx.$queryRaw<[{ watched: number; refused: number }]>(Prisma.sql`
      WITH used AS (
        SELECT (SELECT count(*) FROM "WalletWatch" WHERE "customerId" = ${customerId}::uuid)
             + (SELECT count(*) FROM "SolanaWatch" WHERE "customerId" = ${customerId}::uuid) AS count
      ),
      due AS MATERIALIZED (
        SELECT address, row_number() OVER (ORDER BY "nextAt", address) AS place
          FROM (SELECT address, "nextAt" FROM "WatchRequest"
                 WHERE "customerId" = ${customerId}::uuid AND "nextAt" <= now()
                 ORDER BY "nextAt" LIMIT ${MAX_WALLETS_PER_CUSTOMER} FOR UPDATE SKIP LOCKED) AS request
      ),
      accepted AS MATERIALIZED (
        SELECT due.address FROM due, used WHERE used.count + due.place <= ${maximum}
      ),
      wallets AS (
        INSERT INTO "WatchedWallet" AS wallet (address) SELECT DISTINCT lower(address) FROM accepted WHERE address ~ '^0x' ORDER BY 1
        ON CONFLICT (address) DO UPDATE SET address = wallet.address
        RETURNING id
      ),
      watches AS (
        INSERT INTO "WalletWatch" ("customerId", "walletId") SELECT ${customerId}::uuid, id FROM wallets
        ON CONFLICT DO NOTHING
      ),
      coverage AS (
        INSERT INTO "WalletCoverage" ("customerId", "walletId", "chainId")
        SELECT ${customerId}::uuid, wallets.id, cursor."chainId" FROM wallets, "IndexCursor" AS cursor
         WHERE cursor.stream = ${TRANSFERS}
        ON CONFLICT DO NOTHING
      ),
      ${watchOnSolana(customerId, solanaChainIds)},
      removed AS (
        DELETE FROM "WatchRequest" WHERE "customerId" = ${customerId}::uuid AND address IN (SELECT address FROM accepted)
        RETURNING 1
      ),
      postponed AS (
        UPDATE "WatchRequest"
           SET "nextAt" = now() + make_interval(secs => ${REFUSED_SECONDS}), "refusedAt" = now()
         WHERE "customerId" = ${customerId}::uuid AND address IN (SELECT address FROM due)
           AND address NOT IN (SELECT address FROM accepted)
        RETURNING 1
      )
      SELECT (SELECT count(*) FROM removed)::int AS watched, (SELECT count(*) FROM postponed)::int AS refused`);
    return row;
  });
}
