import type { PublicClient } from 'viem';
import { maxBigInt } from '../money/min-max';
import { type BlockPlace, readKeptBlocks } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import { readHeader } from './read-headers';

/** Time between two reads of the final block, in milliseconds. */
const INTERVAL_MS = 12_000;

/** Finds out which blocks of a chain are final. */
export interface FinalityReader {
  /** Number of the newest final block, as far as it is certain for the chain that ends with `head`. */
  read(head: BlockPlace): Promise<bigint>;
}

type FinalityDeps = Pick<LedgerDeps, 'database' | 'chains'>;

/** The block of the tag `finalized` where the node has it, else the one with the confirmations that the chain requires. */
export function createFinalityReader(
  { database, chains }: FinalityDeps,
  { chainId, client }: { readonly chainId: number; readonly client: PublicClient },
): FinalityReader {
  const confirmations = BigInt(chains.get(chainId).confirmations);
  let latest: { readonly block: BlockPlace | undefined; readonly readAt: number } | undefined;
  return {
    async read(head) {
      if (latest === undefined || Date.now() - latest.readAt >= INTERVAL_MS) {
        // Nodes without the tag reject it, or return null.
        const block = await readHeader(client, 'finalized').catch(() => undefined);
        latest = { block, readAt: Date.now() };
      }
      const { block } = latest;
      if (block === undefined) return maxBigInt(0n, head.number - confirmations);
      const [kept] = await readKeptBlocks(database, chainId, { number: block.number });
      // The node counts other blocks as final than those that were recorded: a reorganisation is noticed before.
      return kept !== undefined && kept.hash !== block.hash ? 0n : block.number;
    },
  };
}
