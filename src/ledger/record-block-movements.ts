import { quarantine } from '../actions/state/quarantine';
import { describeFailure } from '../errors/describe-failure';
import { searchable } from './find-operation';
import { advanceLedgerCursor, type BlockPlace, fenced } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import { readCoinResults } from './read-coin-results';
import { type BlockTransfers, blockFailure } from './read-transfers';
import { recordMovements, UnconfirmedCoinError } from './record-movements';
import { stageEntries } from './stage-entries';

export interface ReadBlocks {
  readonly chainId: number;
  /** The block before the first. */
  readonly parent: BlockPlace;
  readonly blocks: readonly BlockTransfers[];
  readonly headNumber: bigint;
  readonly finalNumber: bigint;
}

/** Bounds of one transaction, which holds the lease: blocks, and events of tokens and operations, and coin. A single block may have more. */
const [MAX_BLOCKS_PER_COMMIT, MAX_EVENTS_PER_COMMIT, MAX_COINS_PER_COMMIT] = [200, 10_000, 50_000];
/** Number of incomplete blocks in a row after which the node is taken to serve no logs, when nothing of the next block can be read. */
const MAX_INCOMPLETE_IN_A_ROW = 50n;

/** The node shows the headers of blocks, but neither logs nor receipts. */
class UnreadableChainError extends Error {
  override readonly name = 'UnreadableChainError';
}

/**
 * Records the movements in consecutive blocks and moves the cursor behind them, many blocks in one transaction. An incomplete
 * block is put into quarantine with it; what could be read of it is recorded.
 *
 * @throws when the node does not respond, or limits the rate of requests: then the blocks before were recorded
 */
export async function recordBlockMovements(deps: LedgerDeps, read: ReadBlocks): Promise<void> {
  let { parent } = read;
  for (let start = 0; start < read.blocks.length;) {
    const blocks = read.blocks.slice(start, start + countTogether(read.blocks, start));
    await recordTogether(deps, { ...read, parent, blocks });
    parent = blocks.at(-1)?.header ?? parent;
    start += blocks.length;
  }
}

/** The number of blocks from `start` on that one transaction records; at least one. */
function countTogether(blocks: readonly BlockTransfers[], start: number): number {
  let [count, events, coins] = [0, 0, 0];
  for (const block of blocks.slice(start, start + MAX_BLOCKS_PER_COMMIT)) {
    events += block.transfers.length + block.operations.length + block.batchStarts.length;
    coins += block.header.coins.length;
    if (count > 0 && (events > MAX_EVENTS_PER_COMMIT || coins > MAX_COINS_PER_COMMIT)) break;
    count += 1;
  }
  return count;
}

/** Attempts to record blocks whose coin concerns wallets that are watched meanwhile. */
const MAX_ATTEMPTS = 3;

async function recordTogether(deps: LedgerDeps, read: ReadBlocks): Promise<void> {
  if (read.blocks.some(({ isUnreadable }) => isUnreadable === true)) {
    await requireReadable(deps, read.chainId, read.parent);
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { blocks, limit } = await readCoinResults(deps, read.chainId, read.blocks);
      if (blocks.length > 0) await recordOnce(deps, { ...read, blocks });
      if (limit !== undefined) throw limit;
      return;
    } catch (error) {
      if (!(error instanceof UnconfirmedCoinError) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

async function recordOnce(deps: LedgerDeps, { chainId, blocks: found, ...place }: ReadBlocks): Promise<void> {
  const blocks = found.map(searchable);
  const incomplete = blocks.filter((block) => blockFailure(block) !== undefined);
  const headers = blocks.map(({ header }) => header);
  const staged = await stageEntries(deps, chainId, { parent: place.parent, blocks });
  await fenced(deps, chainId, async (tx) => {
    await advanceLedgerCursor(tx, chainId, { ...place, headers });
    await recordMovements(tx, chainId, { blocks, backfillBlocks: deps.backfillBlocks, staged });
    for (const block of incomplete) {
      const { header } = block;
      await quarantine(tx, { chainId, stage: 'ledger', item: header.hash, block: header }, blockFailure(block));
    }
  });
  for (const block of incomplete) {
    deps.log.warn(
      { chainId, block: block.header.number.toString(), cause: describeFailure(blockFailure(block)) },
      'the transfers of a block could not be read completely: it was put into quarantine',
    );
  }
  for (const { header, leftOut } of blocks.filter((block) => block.leftOut > 0)) {
    deps.log.warn(
      { chainId, block: header.number.toString(), operations: leftOut },
      'a block has too many operations of accounts: its movements were recorded without them',
    );
  }
}

/** A block with a response that is too large never ends here, however many there are: any account can make one. */
async function requireReadable({ database }: LedgerDeps, chainId: number, parent: BlockPlace): Promise<void> {
  const blockNumber = { gt: parent.number - MAX_INCOMPLETE_IN_A_ROW, lte: parent.number };
  const count = await database.quarantine.count({ where: { chainId, stage: 'ledger', blockNumber } });
  if (BigInt(count) < MAX_INCOMPLETE_IN_A_ROW) return;
  throw new UnreadableChainError(
    `${MAX_INCOMPLETE_IN_A_ROW.toString()} blocks in a row are incomplete: the node serves no logs`,
  );
}
