import type { PublicClient } from 'viem';
import { maxBigInt } from '../money/min-max';
import { type BlockPlace, readKeptBlocks } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import { readHeader } from './read-headers';
import { isRateLimited, nodeErrorOf } from '../rpc/rpc-failure';

/** Time between two reads of the final block, in milliseconds. */
const INTERVAL_MS = 12_000;

/** Finds out which blocks of a chain are final. */
export interface FinalityReader {
  /** Number of the newest final block, as far as it is certain for the chain that ends with `head`. */
  read(head: BlockPlace): Promise<bigint>;
}

type FinalityDeps = Pick<LedgerDeps, 'database' | 'chains'>;

/** Codes and messages of nodes that do not have the tag. Limits of the rate and failures to respond are none of these. */
const [REJECTED_CODES, REJECTED_MESSAGE] = [
  new Set([-32602, -32601, -32600, -32004]),
  /finalized|unknown (?:tag|block)|invalid (?:argument|param|block|tag)|block not found|hex string/i,
];

const isTagRejected = (error: unknown): boolean => {
  const nodeError = isRateLimited(error) ? undefined : nodeErrorOf(error);
  return nodeError !== undefined && (REJECTED_CODES.has(nodeError.code) || REJECTED_MESSAGE.test(nodeError.message));
};

/**
 * The newest final block by its tag; `undefined` where the node rejects the tag or returns null.
 *
 * @throws when the node does not respond: the node may have the tag all the same
 */
async function readFinalized(client: PublicClient): Promise<BlockPlace | undefined> {
  try {
    return await readHeader(client, 'finalized');
  } catch (error) {
    if (isTagRejected(error)) return undefined;
    throw error;
  }
}

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
        const block = await readFinalized(client);
        // A node that had the tag once has it still: its last response holds.
        latest = { block: block ?? latest?.block, readAt: Date.now() };
      }
      const { block } = latest;
      if (block === undefined) return maxBigInt(0n, head.number - confirmations);
      // Several nodes may respond, and one of them lags: the chain that ends with `head` may be a fork.
      if (block.number > head.number) return 0n;
      const [kept] = await readKeptBlocks(database, chainId, { number: block.number });
      // The node counts other blocks as final than those that were recorded: a reorganisation is noticed before.
      return kept !== undefined && kept.hash !== block.hash ? 0n : block.number;
    },
  };
}
