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
  if (cursor === null) return `The transfers of chain ${String(chainId)} are not recorded. "index status" shows the chains.`;
  return `The block must be at most ${(cursor.number + 1n).toString()}: a later one would leave blocks out.`;
}
