import { anySignal } from '../async/any-signal';
import { rejectOnAbort } from '../async/race-abort';
import { type ClaimedQuarantineItem, postponeClaimed, unclaim } from '../actions/state/quarantine';
import { describeFailure } from '../errors/describe-failure';
import { type SearchableBlock, searchable } from './find-operation';
import type { LedgerDeps } from './ledger-deps';
import { readCoinResults } from './read-coin-results';
import { readFullBlock } from './read-full-blocks';
import { type BlockTransfers, blockFailure, readByHash, readByReceipts } from './read-transfers';
import { replaceBlock } from './replace-block';

/** Blocks that one pass reads again. */
const MAX_ITEMS = 5;
/** A pass starts no other block after this time: it delays the newest blocks. */
const MAX_RUN_MS = 10_000;
const MAX_ITEM_MS = 60_000;
/** How long a block is reserved for the process that reads it. */
const CLAIM_SECONDS = 300;

/** The block is incomplete again, or the node has another one in its place. */
class FailedRetryError extends Error {
  override readonly name = 'FailedRetryError';
}

/**
 * Reads incomplete blocks again whose next attempt is due, and replaces their entries. A failure postpones its block alone.
 */
export async function retryLedgerBlocks(deps: LedgerDeps, chainId: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + MAX_RUN_MS;
  const items = [...(await claimDue(deps, chainId))];
  for (let item = items[0]; item !== undefined && Date.now() <= until; item = items[0]) {
    await retryWithin(deps, item, signal);
    if (signal.aborted) break;
    items.shift();
  }
  await unclaim(deps.database, items);
}

async function claimDue({ database }: LedgerDeps, chainId: number): Promise<readonly ClaimedQuarantineItem[]> {
  const rows = await database.$queryRaw<{ item: string; attempts: number; blockNumber: bigint; blockHash: string }[]>`
    UPDATE "Quarantine" AS kept SET "nextAt" = now() + make_interval(secs => ${CLAIM_SECONDS})
      FROM (SELECT item FROM "Quarantine"
             WHERE "chainId" = ${chainId} AND stage = 'ledger' AND "nextAt" <= now()
               AND "blockNumber" IS NOT NULL AND "blockHash" IS NOT NULL
             ORDER BY "nextAt" LIMIT ${MAX_ITEMS} FOR UPDATE SKIP LOCKED) AS due
     WHERE kept."chainId" = ${chainId} AND kept.stage = 'ledger' AND kept.item = due.item
    RETURNING kept.item, kept.attempts, kept."blockNumber", kept."blockHash"`;
  return rows.map(({ item, attempts, blockNumber: number, blockHash: hash }) => ({
    chainId,
    stage: 'ledger' as const,
    item,
    attempts,
    block: { number, hash },
  }));
}

/** A retry that the end of the process interrupts is no attempt. */
async function retryWithin(deps: LedgerDeps, item: ClaimedQuarantineItem, stop: AbortSignal): Promise<void> {
  try {
    const block = await rejectOnAbort(readAgain(deps, item, stop), anySignal(stop, AbortSignal.timeout(MAX_ITEM_MS)));
    await replaceBlock(deps, item, block);
    deps.log.info({ chainId: item.chainId, block: item.block.number.toString() }, 'a block of the ledger is complete');
  } catch (error) {
    if (stop.aborted) return;
    const entry = { chainId: item.chainId, block: item.block.number.toString(), cause: describeFailure(error) };
    deps.log.warn(entry, 'a block of the ledger stays incomplete');
    await postponeClaimed(deps.database, item, error);
  }
}

async function readAgain(
  deps: LedgerDeps,
  { chainId, block }: ClaimedQuarantineItem,
  stop: AbortSignal,
): Promise<SearchableBlock> {
  const client = deps.rpc.client(chainId);
  const header = await readFullBlock(client, block.number);
  if (header?.hash !== block.hash) throw new FailedRetryError('the node has another block in its place');
  const transfers = await readByHash(client, header)
    .then((logs): BlockTransfers => ({ header, ...logs }))
    .catch(() => readByReceipts(client, header, stop));
  const { blocks, limit } = await readCoinResults(deps, chainId, [transfers]);
  if (limit !== undefined) throw limit;
  const [read] = blocks.map(searchable);
  const failure = read === undefined ? undefined : blockFailure(read);
  if (read !== undefined && failure === undefined) return read;
  throw failure instanceof Error ? failure : new FailedRetryError('it failed again');
}
