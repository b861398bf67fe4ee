import type { Database, Transaction } from '../../persistence/database';

/** A block by number and hash. */
export interface BlockId {
  readonly number: bigint;
  readonly hash: string;
}

/** Blocks kept per chain: how far back a reorganisation is traced to its fork exactly. */
const KEPT_BLOCKS = 256;

/** The block that was read last; `undefined` before the first pass. */
export async function readCursor(database: Database, chainId: number): Promise<BlockId | undefined> {
  const newest = await database.trackedBlock.findFirst({ where: { chainId }, orderBy: { number: 'desc' } });
  return newest ?? undefined;
}

/** The blocks that were read last, the newest first. */
export const readTrackedBlocks = (database: Database, chainId: number): Promise<readonly BlockId[]> =>
  database.trackedBlock.findMany({ where: { chainId }, orderBy: { number: 'desc' }, take: KEPT_BLOCKS });

/** Adds blocks that were read, and deletes those that are too old for a reorganisation. */
export async function advanceCursor(tx: Transaction, chainId: number, blocks: readonly BlockId[]): Promise<void> {
  if (blocks.length === 0) return;
  await tx.trackedBlock.createMany({
    data: blocks.map(({ number, hash }) => ({ chainId, number, hash })),
    skipDuplicates: true,
  });
  await tx.$executeRaw`
    DELETE FROM "TrackedBlock" WHERE "chainId" = ${chainId} AND number <= (
      SELECT number FROM "TrackedBlock" WHERE "chainId" = ${chainId} ORDER BY number DESC OFFSET ${KEPT_BLOCKS} LIMIT 1)`;
}

/** Records that the chain has just been read up to its head. */
export async function markCaughtUp(tx: Transaction, chainId: number): Promise<void> {
  await tx.$executeRaw`UPDATE "ChainTracker" SET "caughtUpAt" = now() WHERE "chainId" = ${chainId}`;
}

/** Keeps the actions that wait for the chain from expiring until it was read up to its head again. */
export async function clearCaughtUp(tx: Transaction, chainId: number): Promise<void> {
  await tx.$executeRaw`UPDATE "ChainTracker" SET "caughtUpAt" = NULL WHERE "chainId" = ${chainId}`;
}

/** Deletes every block after `number`; the next passes read them again. */
export async function rewindCursor(tx: Transaction, chainId: number, number: bigint): Promise<void> {
  await tx.trackedBlock.deleteMany({ where: { chainId, number: { gt: number } } });
}

/**
 * Reads the blocks after `block` again. When it is older than all blocks kept, reading starts there: without a cursor it
 * would start near the head, and skip what is between.
 */
export async function rereadAfter(tx: Transaction, chainId: number, block: BlockId): Promise<void> {
  const earlier = await tx.trackedBlock.count({ where: { chainId, number: { lte: block.number } } });
  if (earlier === 0) await restartCursor(tx, chainId, block);
  else await rewindCursor(tx, chainId, block.number);
}

/** Starts reading after `block`, whatever was read before. */
export async function restartCursor(tx: Transaction, chainId: number, block: BlockId): Promise<void> {
  await tx.trackedBlock.deleteMany({ where: { chainId } });
  await tx.trackedBlock.create({ data: { chainId, number: block.number, hash: block.hash } });
}
