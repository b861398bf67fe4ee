import type { Transaction } from '../persistence/database';

/**
 * Deletes an item from the quarantine, whatever its stage. Wallets that were covered in an incomplete block of the ledger are
 * covered from the block behind it on. Returns the number of deleted items.
 */
export async function discardItem(tx: Transaction, item: string): Promise<number> {
  // In the order of a replay, which takes the item first as well.
  await tx.$queryRaw`SELECT item FROM "Quarantine" WHERE item = ${item} ORDER BY "chainId", stage FOR UPDATE`;
  // What is before the block is read backward again, from the block on: the block itself as well. Before the coverage, as when
  // earlier movements are recorded.
  await tx.$executeRaw`
    DELETE FROM "WalletBackfill" AS own USING "Quarantine" AS discarded
     WHERE discarded.item = ${item} AND discarded.stage = 'ledger' AND own."chainId" = discarded."chainId"
       AND own.lowest <= discarded."blockNumber"`;
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
