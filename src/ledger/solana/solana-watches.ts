import { Prisma } from '../../persistence/client/client';
import { runForService } from '../../persistence/customer-scope';
import type { Database, Transaction } from '../../persistence/database';
import { lockWatches } from '../ledger-cursor';

/** Statements that watch the accepted addresses on Solana chains, for the customer of `accepted`. */
export const watchOnSolana = (customerId: string, chainIds: readonly number[]): Prisma.Sql => Prisma.sql`
  "solanaWallets" AS (
    INSERT INTO "SolanaWallet" AS wallet ("chainId", address)
    SELECT chain.id, accepted.address FROM accepted, unnest(${[...chainIds]}::bigint[]) AS chain (id)
     WHERE accepted.address !~ '^0x' ORDER BY 1, 2
    ON CONFLICT ("chainId", address) DO UPDATE SET address = wallet.address
    RETURNING id
  ),
  "solanaWatches" AS (
    INSERT INTO "SolanaWatch" ("customerId", "walletId") SELECT ${customerId}::uuid, id FROM "solanaWallets"
    ON CONFLICT DO NOTHING
  )`;

/** Seconds after a reading before a request may cause the next one. */
const MIN_AGE_SECONDS = 5;

/**
 * Reads wallets of the customer whose movements are requested sooner: those that did not move are read every few minutes only. Not
 * those whose last reading failed, which wait for their node. Waits for no wallet that is being written.
 */
export const wakeSolanaWallets = (
  database: Pick<Database, '$executeRaw'>,
  { customerId, addresses }: { readonly customerId: string; readonly addresses: readonly string[] },
): Promise<number> =>
  // Requests may only read the rows of wallets, because several customers may watch the same one.
  runForService(
    'solanaWallets',
    () => database.$executeRaw`
    UPDATE "SolanaWallet" AS woken
       SET "nextAt" = woken."readAt" + make_interval(secs => ${MIN_AGE_SECONDS}), "quietReadings" = 0
      FROM (SELECT id FROM "SolanaWallet" AS wallet
             WHERE EXISTS (SELECT 1 FROM "SolanaWatch" AS watch
                            WHERE watch."walletId" = wallet.id AND watch."customerId" = ${customerId}::uuid)
               AND address = ANY (${[...addresses]}::text[]) AND failure IS NULL AND "readAt" IS NOT NULL
               AND "nextAt" > greatest(now(), "readAt" + make_interval(secs => ${MIN_AGE_SECONDS * 2}))
             ORDER BY id FOR NO KEY UPDATE OF wallet SKIP LOCKED) AS quiet
     WHERE woken.id = quiet.id`,
  );

/** Rows that one transaction deletes. */
const MAX_ROWS = 2000;

/** Deletes a Solana wallet that no customer watches any more, or a part of its movements. Returns the number of deleted rows. */
export async function forgetSolanaWallets({ database }: { readonly database: Database }): Promise<number> {
  return database.$transaction(async (tx) => {
    // A wallet is not watched again meanwhile.
    await lockWatches(tx);
    const [wallet] = await tx.$queryRaw<{ id: bigint }[]>`
      SELECT id FROM "SolanaWallet" AS wallet
       WHERE NOT EXISTS (SELECT 1 FROM "SolanaWatch" AS watch WHERE watch."walletId" = wallet.id)
       ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
    if (wallet === undefined) return 0;
    const walletId = wallet.id;
    // Before the first movement: a customer may watch the wallet again after this run, and all of it is read again then.
    await tx.solanaAccount.deleteMany({ where: { walletId } });
    const deleted = (await deleteSignatures(tx, walletId)) + (await deleteMovements(tx, walletId));
    if (deleted >= MAX_ROWS) return deleted;
    await tx.solanaWallet.delete({ where: { id: walletId } });
    return deleted + 1;
  });
}

const deleteSignatures = (tx: Transaction, walletId: bigint): Promise<number> =>
  tx.$executeRaw`
    DELETE FROM "SolanaSignature" WHERE ("walletId", signature) IN (
      SELECT "walletId", signature FROM "SolanaSignature" WHERE "walletId" = ${walletId} LIMIT ${MAX_ROWS})`;

const deleteMovements = (tx: Transaction, walletId: bigint): Promise<number> =>
  tx.$executeRaw`
    DELETE FROM "SolanaMovement" WHERE ("walletId", signature, position) IN (
      SELECT "walletId", signature, position FROM "SolanaMovement" WHERE "walletId" = ${walletId} LIMIT ${MAX_ROWS})`;
