import type { Transaction } from '../persistence/database';

/**
 * Deletes an item from the quarantine, whatever its stage. Wallets that were covered in an incomplete block of the ledger are
 * covered from the block behind it on. Returns the number of deleted items.
 */
export async function discardItem(tx: Transaction, item: string): Promise<number> {
  // In the order of a replay, which takes the item first as well.
  await tx.$queryRaw`SELECT item FROM "Quarantine" WHERE item = ${item} ORDER BY "chainId", stage FOR UPDATE`;
  // In the order of the worker that shows what was read to other customers, which locks many of them as well.
  await tx.$queryRaw`
    SELECT count(*) FROM (
      SELECT 1 FROM "Quarantine" AS discarded JOIN "WalletBackfill" AS own ON own."chainId" = discarded."chainId"
       WHERE discarded.item = ${item} AND discarded.stage = 'ledger'
         AND (own.lowest <= discarded."blockNumber" OR discarded."blockNumber" BETWEEN own."recordedFrom" AND own."recordedTo")
       ORDER BY own."chainId", own."walletId" FOR UPDATE OF own) AS locked`;
  // The block is read again by wallet, and with it what is between it and a block that was discarded before. What is before
  // stays recorded, and is compared with the balances again. Before the coverage, as when earlier movements are recorded.
  await tx.$executeRaw`
    UPDATE "WalletBackfill" AS own
       SET lowest = discarded."blockNumber" + 1, state = 'walking', reason = NULL, attempts = 0, unreadable = 0, "nextAt" = now(),
           "recordedFrom" = coalesce(own."recordedFrom", nullif(own.lowest, discarded."blockNumber")),
           "recordedTo" = coalesce(own."recordedTo", CASE WHEN own.lowest < discarded."blockNumber"
                                                          THEN discarded."blockNumber" - 1 END)
      FROM "Quarantine" AS discarded
     WHERE discarded.item = ${item} AND discarded.stage = 'ledger' AND own."chainId" = discarded."chainId"
       AND own.lowest <= discarded."blockNumber"`;
  await tx.$executeRaw`
    UPDATE "WalletBackfill" AS own
       SET "recordedFrom" = CASE WHEN own."recordedFrom" < discarded."blockNumber" THEN own."recordedFrom" END,
           "recordedTo" = CASE WHEN own."recordedFrom" < discarded."blockNumber" THEN discarded."blockNumber" - 1 END
      FROM "Quarantine" AS discarded
     WHERE discarded.item = ${item} AND discarded.stage = 'ledger' AND own."chainId" = discarded."chainId"
       AND discarded."blockNumber" BETWEEN own."recordedFrom" AND own."recordedTo"`;
  await tx.$executeRaw`
    UPDATE "WalletCoverage" AS coverage
       SET "fromBlock" = discarded."blockNumber" + 1,
           "coinFromBlock" = greatest(coverage."coinFromBlock", discarded."blockNumber" + 1)
      FROM "Quarantine" AS discarded
     WHERE discarded.item = ${item} AND discarded.stage = 'ledger' AND coverage."chainId" = discarded."chainId"
       AND coverage."fromBlock" <= discarded."blockNumber"`;
  const { count } = await tx.quarantine.deleteMany({ where: { item } });
  return count;
}
