import type { Transaction } from '../persistence/database';
import type { SearchableBlock } from './find-operation';
import { type BlockPlace, CursorMovedError, fenced } from './ledger-cursor';
import { type LedgerDeps, TRANSFERS } from './ledger-deps';
import { insertAll, movementsOf, type StagedEntries, watchedAmong } from './record-movements';

/** Entries that one transaction records of a single block: with more it would take too long, at each attempt. */
export const MAX_ENTRIES_PER_COMMIT = 10_000;

/**
 * Records the entries of a block with very many of them before the block, some in each transaction: entries behind the cursor do
 * not count yet, and are replaced when the block is read again. Returns `undefined` for blocks that one transaction records.
 *
 * @throws CursorMovedError when the cursor is not at `parent` any more
 */
export async function stageEntries(
  deps: Pick<LedgerDeps, 'database' | 'replicaId' | 'leaseSeconds'>,
  chainId: number,
  { parent, blocks }: { readonly parent: BlockPlace; readonly blocks: readonly SearchableBlock[] },
): Promise<StagedEntries | undefined> {
  if (!mayBeMany(blocks)) return undefined;
  const atParent = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    fenced(deps, chainId, async (tx) => {
      await requireParent(tx, chainId, parent);
      return work(tx);
    });
  const staged = await atParent(async (tx) => {
    const wallets = await watchedAmong(tx, blocks);
    const movements = movementsOf(blocks, wallets);
    if (movements.length <= MAX_ENTRIES_PER_COMMIT) return undefined;
    await tx.ledgerEntry.deleteMany({ where: { chainId, blockNumber: parent.number + 1n } });
    return { wallets: new Set(wallets.values()), movements };
  });
  if (staged === undefined) return undefined;
  const { movements } = staged;
  for (let start = 0; start < movements.length; start += MAX_ENTRIES_PER_COMMIT) {
    const part = movements.slice(start, start + MAX_ENTRIES_PER_COMMIT);
    await atParent(async (tx) => {
      // A wallet that is forgotten meanwhile gets no entries.
      const wallets = new Set((await watchedAmong(tx, blocks)).values());
      await insertAll(
        tx,
        chainId,
        part.filter(({ walletId }) => wallets.has(walletId)),
      );
    });
  }
  return staged;
}

/** True for a single block whose movements may be too many for one transaction: each has two sides. */
function mayBeMany(blocks: readonly SearchableBlock[]): boolean {
  const [block, other] = blocks;
  if (block === undefined || other !== undefined) return false;
  return 2 * (block.transfers.length + block.header.coins.length) > MAX_ENTRIES_PER_COMMIT;
}

/** The ledger is not restarted or read again meanwhile: then the entries would count at once. */
async function requireParent(tx: Transaction, chainId: number, { number, hash }: BlockPlace): Promise<void> {
  const cursors = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "IndexCursor"
     WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND number = ${number} AND hash = ${hash} AND "replayFrom" IS NULL
       FOR SHARE`;
  if (cursors.length === 0) throw new CursorMovedError(`the ledger of chain ${String(chainId)} is elsewhere`);
}
