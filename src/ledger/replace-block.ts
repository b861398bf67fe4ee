import { type ClaimedQuarantineItem, isClaimed, releaseClaimed } from '../actions/state/quarantine';
import { positionOfCoin } from './coin-transfers';
import type { SearchableBlock } from './find-operation';
import { fenced } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import {
  ALL_POSITIONS,
  countEntries,
  type Movement,
  type Positions,
  replacePositions,
  watchedAmong,
} from './record-movements';
import { MAX_ENTRIES_PER_COMMIT } from './stage-entries';

/**
 * Replaces the entries of an incomplete block, those of very many in several transactions, and ends its quarantine in the last one.
 * Entries stay as they are from the moment on at which a reorganisation or a replay removes the item.
 */
export async function replaceBlock(
  deps: Pick<LedgerDeps, 'database' | 'replicaId' | 'leaseSeconds'>,
  item: ClaimedQuarantineItem,
  block: SearchableBlock,
): Promise<void> {
  const { chainId } = item;
  const recorded: (readonly Movement[])[] = [];
  for (const part of partsOf(block)) {
    const isLast = part.to === ALL_POSITIONS.to;
    const isReplaced = await fenced(deps, chainId, async (tx) => {
      if (!(await (isLast ? releaseClaimed : isClaimed)(tx, item))) return false;
      // All of them, in the order of their addresses: the last transaction changes the counts of all.
      const wallets = await watchedAmong(tx, [block]);
      recorded.push(await replacePositions(tx, chainId, { ...part, wallets }));
      // At the end: an attempt that fails counts no entries.
      if (isLast) await countEntries(tx, recorded.flat());
      return true;
    });
    if (!isReplaced) return;
  }
}

/** A block with the transfers at some positions only. */
interface BlockPart extends Positions {
  readonly blocks: readonly [SearchableBlock];
}

/** The block in parts, each with so many transfers that one transaction records both sides. All positions are in one of them. */
function partsOf(block: SearchableBlock): readonly BlockPart[] {
  const { header, transfers } = block;
  const positions = [...header.coins.map(positionOfCoin), ...transfers.map(({ logIndex }) => logIndex)];
  positions.sort((one, other) => one - other);
  const firsts = positions.filter((_, index) => index > 0 && index % (MAX_ENTRIES_PER_COMMIT / 2) === 0);
  return [ALL_POSITIONS.from, ...firsts].map((from, index): BlockPart => {
    const next = firsts[index];
    const to = next === undefined ? ALL_POSITIONS.to : next - 1;
    const isWithin = (position: number): boolean => from <= position && position <= to;
    const coins = header.coins.filter((coin) => isWithin(positionOfCoin(coin)));
    const own = transfers.filter(({ logIndex }) => isWithin(logIndex));
    return { from, to, blocks: [{ ...block, header: { ...header, coins }, transfers: own }] };
  });
}
