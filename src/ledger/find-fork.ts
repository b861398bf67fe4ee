import type { PublicClient } from 'viem';
import type { Database } from '../persistence/database';
import { type BlockPlace, readKeptBlocks } from './ledger-cursor';
import { readHeader } from './read-headers';

/** The newest of these blocks that is still on the chain, by binary search. They are sorted newest first. */
export async function findFork(
  client: PublicClient,
  kept: readonly BlockPlace[],
): Promise<BlockPlace | 'missing' | undefined> {
  let [low, high] = [0, kept.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const candidate = kept[middle];
    const now = candidate === undefined ? undefined : await readHeader(client, candidate.number);
    if (now === undefined) return 'missing';
    if (now.hash === candidate?.hash) high = middle;
    else low = middle + 1;
  }
  return kept[low];
}

/** Blocks with entries, older than the kept hashes, that are compared with the chain. */
const MAX_COMPARED = 500;

/**
 * Why blocks behind `parentNumber` cannot be read again: entries before them are of blocks that the chain does not have any
 * more, and would stay. `undefined` when they can.
 */
export async function problemOfReplay(
  database: Database,
  client: PublicClient,
  { chainId, parentNumber }: { readonly chainId: number; readonly parentNumber: bigint },
): Promise<string | undefined> {
  const kept = await readKeptBlocks(database, chainId, { number: { lte: parentNumber } });
  const oldest = kept.at(-1)?.number ?? parentNumber + 1n;
  const recorded = await database.$queryRaw<BlockPlace[]>`
    SELECT DISTINCT "blockNumber" AS number, '0x' || encode("blockHash", 'hex') AS hash FROM "LedgerEntry"
     WHERE "chainId" = ${chainId} AND "blockNumber" < ${oldest} ORDER BY 1 DESC LIMIT ${MAX_COMPARED}`;
  const places = [...kept, ...recorded];
  const found = await findFork(client, places);
  if (found === 'missing') return 'the node does not have the blocks before them';
  if (found === places[0]) return undefined;
  const common = found === undefined ? 'older than those that were compared' : `block ${found.number.toString()}`;
  return `the chain has other blocks before them than were recorded. The newest common one is ${common}`;
}
