import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import { readAll } from '../../rpc/multicall';
import type { Rpc } from '../../rpc/rpc';
import type { Protocol } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { FeeMark } from '../strategy-fees';
import type { ProtocolName } from '../strategy-row';

export interface MarkDeps {
  readonly rpc: Pick<Rpc, 'request'>;
  readonly protocols: Readonly<Partial<Record<ProtocolName, Protocol>>>;
}

const MARK_TIMEOUT_MS = 8000;

/** The contracts did not respond as their protocol specifies. */
export class UnreadablePriceError extends Error {
  override readonly name = 'UnreadablePriceError';
}

/** The state of a strategy after the latest final block: no reorganization can change it. */
export async function readMark({ rpc, protocols }: MarkDeps, strategy: Strategy, outer: AbortSignal): Promise<FeeMark> {
  const { chain, row } = strategy;
  const signal = anySignal(outer, AbortSignal.timeout(MARK_TIMEOUT_MS));
  const read = protocols[row.protocol]?.market(strategy);
  const work = rpc.request(chain.chainId, async (client) => {
    const head = await client.getBlockNumber({ cacheTime: 0 });
    const confirmations = BigInt(chain.confirmations);
    const blockNumber = head > confirmations ? head - confirmations : 0n;
    const { timestamp } = await client.getBlock({ blockNumber });
    const values = await readAll(client, read?.reads ?? [], { blockNumber, signal });
    const market = read?.decode(values, { number: blockNumber, timestamp });
    return { blockNumber, sharePriceRay: market?.sharePriceRay };
  });
  const { blockNumber, sharePriceRay } = await rejectOnAbort(work, signal);
  if (sharePriceRay === undefined) throw new UnreadablePriceError('the share price of the strategy could not be read');
  return { blockNumber, sharePriceRay };
}
