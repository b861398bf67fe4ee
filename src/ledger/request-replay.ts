import type { Database } from '../persistence/database';
import { TRANSFERS } from './ledger-deps';

export interface ReplayRequest {
  readonly chainId: number;
  /** The first block that is read again. */
  readonly from: bigint;
}

/** Requests that a chain is read again. The worker starts within a minute. Returns why it cannot be, in a sentence. */
export async function requestReplay(
  database: Pick<Database, '$executeRaw' | 'indexCursor'>,
  { chainId, from }: ReplayRequest,
): Promise<string | undefined> {
  // A later block would leave a hole between.
  const requested = await database.$executeRaw`
    UPDATE "IndexCursor" SET "replayFrom" = ${from}
     WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND ${from} <= number + 1`;
  if (requested > 0) return undefined;
  const cursor = await database.indexCursor.findUnique({ where: { chainId_stream: { chainId, stream: TRANSFERS } } });
  if (cursor === null)
    return `The transfers of chain ${String(chainId)} are not recorded. "index status" shows the chains.`;
  return `The block must be at most ${(cursor.number + 1n).toString()}: a later one would leave blocks out.`;
}

/** Withdraws a replay that no worker has started. False when none waits. */
export async function cancelReplay(database: Pick<Database, '$executeRaw'>, chainId: number): Promise<boolean> {
  const cancelled = await database.$executeRaw`
    UPDATE "IndexCursor" SET "replayFrom" = NULL
     WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND "replayFrom" IS NOT NULL`;
  return cancelled > 0;
}

/**
 * Starts the ledger of a chain again at its head, without the blocks between: wallets are covered from there on. Returns why it
 * cannot be, in a sentence.
 */
export async function restartLedger(
  database: Pick<Database, '$transaction'>,
  chainId: number,
): Promise<string | undefined> {
  return database.$transaction(async (tx) => {
    const [cursor] = await tx.$queryRaw<{ finalNumber: bigint; state: string; isReplaying: boolean }[]>`
      SELECT "finalNumber", state, "replayFrom" IS NOT NULL OR "replayUntil" IS NOT NULL AS "isReplaying" FROM "IndexCursor"
       WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} FOR UPDATE`;
    if (cursor === undefined) {
      return `The transfers of chain ${String(chainId)} are not recorded. "index status" shows the chains.`;
    }
    if (cursor.state === 'stopped') {
      return 'Entries that were final may be wrong: use "index replay" with a block before the reorganisation.';
    }
    if (cursor.isReplaying) {
      return 'Blocks are read again: entries behind them are final already. Wait until "index status" shows no replay.';
    }
    await tx.quarantine.deleteMany({ where: { chainId, stage: 'ledger' } });
    // Whether the blocks of the other entries stay on the chain would not be noticed any more.
    await tx.ledgerEntry.deleteMany({ where: { chainId, blockNumber: { gt: cursor.finalNumber } } });
    await tx.indexedBlock.deleteMany({ where: { chainId, stream: TRANSFERS } });
    await tx.indexCursor.delete({ where: { chainId_stream: { chainId, stream: TRANSFERS } } });
    await tx.walletBackfill.deleteMany({ where: { chainId } });
    await tx.walletCoverage.updateMany({ where: { chainId }, data: { fromBlock: null, coinFromBlock: null } });
    return undefined;
  });
}
