import type { PublicClient } from 'viem';
import { rejectOnAbort } from '../../async/race-abort';

/** Hash of a block, in lower case. @throws the error of the node or the transport */
export async function hashOf(client: PublicClient, blockNumber: bigint, signal: AbortSignal): Promise<string> {
  const { hash } = await rejectOnAbort(client.getBlock({ blockNumber }), signal);
  return hash.toLowerCase();
}
