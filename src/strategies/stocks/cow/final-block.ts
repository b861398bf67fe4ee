import type { ChainTable } from '../../../chains/chain-table';
import { maxBigInt } from '../../../money/min-max';
import type { Rpc } from '../../../rpc/rpc';

export interface FinalityDeps {
  readonly rpc: Rpc;
  readonly chains: Pick<ChainTable, 'get'>;
}

/** The newest block, and the newest final one; block 0 of a chain that is younger than its confirmations. */
export async function readFinalBlock(
  { rpc, chains }: FinalityDeps,
  chainId: number,
): Promise<{ readonly latest: bigint; readonly final: bigint }> {
  const latest = await rpc.blockNumber(chainId);
  return { latest, final: maxBigInt(0n, latest - BigInt(chains.get(chainId).confirmations)) };
}
