import type { LedgerDeps } from './ledger-deps';
import { lockWatches } from './ledger-cursor';

/** Entries that one transaction deletes. */
const MAX_ENTRIES = 2000;

/**
 * Deletes a wallet that no customer watches any more, or a part of its movements: every run is short. Returns the number of
 * deleted rows; 0 when nothing is left to delete.
 */
export async function forgetWallets({ database }: Pick<LedgerDeps, 'database'>): Promise<number> {
  return database.$transaction(async (tx) => {
    // A wallet is not watched again meanwhile.
    await lockWatches(tx);
    const [wallet] = await tx.$queryRaw<{ id: bigint }[]>`
      SELECT id FROM "WatchedWallet" AS wallet
       WHERE NOT EXISTS (SELECT 1 FROM "WalletWatch" AS watch WHERE watch."walletId" = wallet.id)
       ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
    if (wallet === undefined) return 0;
    // Before the first entry: a customer may watch the wallet again after this run, and none of them would be read again.
    await tx.walletBackfill.deleteMany({ where: { walletId: wallet.id } });
    const deleted = await tx.$executeRaw`
      DELETE FROM "LedgerEntry" WHERE ("chainId", "txHash", "logIndex", part) IN (
        SELECT "chainId", "txHash", "logIndex", part FROM "LedgerEntry" WHERE "walletId" = ${wallet.id} LIMIT ${MAX_ENTRIES})`;
    if (deleted === MAX_ENTRIES) return deleted;
    await tx.watchedWallet.delete({ where: { id: wallet.id } });
    return deleted + 1;
  });
}
