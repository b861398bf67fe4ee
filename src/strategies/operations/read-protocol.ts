import { headReads } from '../../rpc/block-reads/block-head';
import type { Rpc } from '../../rpc/rpc';
import type { ProtocolRead } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { readingChain, unreadableError } from './lending-failure';

/**
 * Executes a read of a protocol at the latest block.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE when the chain does not respond, or a contract does not respond as the protocol specifies
 */
export async function readProtocol<Result>(
  rpc: Pick<Rpc, 'multicall'>,
  { strategy: { chain, row }, read }: { readonly strategy: Strategy; readonly read: ProtocolRead<Result> },
  signal: AbortSignal,
): Promise<Result> {
  const reads = [...headReads(chain), ...read.reads];
  const results: readonly unknown[] = await readingChain(rpc.multicall(chain.chainId, reads, { signal }));
  const [number, timestamp, ...values] = results;
  const isRead = typeof number === 'bigint' && typeof timestamp === 'bigint';
  const result = isRead ? read.decode(values, { number, timestamp }) : undefined;
  if (result !== undefined) return result;
  throw unreadableError(`the contracts of the strategy ${row.id}`);
}
