import type { Address, PublicClient } from 'viem';
import { readAll } from '../../rpc/multicall';
import { isExecutionFailure, isRateLimited, nodeErrorOf } from '../../rpc/rpc-failure';
import type { Holding, MarketState, PositionChange, Protocol, ProtocolRead, ReadBlock } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { isInflow } from './position-state';

const RAY = 10n ** 27n;

export interface ValueRequest {
  readonly strategy: Strategy;
  readonly protocol: Protocol;
  readonly wallet: Address;
  /** Changes of one block, in order. */
  readonly changes: readonly PositionChange[];
  readonly block: ReadBlock;
  /** Shares of the wallet before the changes; `undefined` when unknown. */
  readonly sharesBefore: bigint | undefined;
  readonly signal: AbortSignal;
}

/**
 * Completes changes whose logs state no shares or no assets, by the state after their block. They stay incomplete when the node
 * lacks it: nodes without an archive keep only recent states.
 *
 * @throws the error of the transport
 */
export async function valueChanges(client: PublicClient, request: ValueRequest): Promise<readonly PositionChange[]> {
  const { changes } = request;
  if (changes.every(({ shares, assets }) => shares !== undefined && assets !== undefined)) return changes;
  const state = await readState(client, request);
  if (state === undefined) return changes;
  return withShares(request, state).map((change) => withAssets(change, state.market));
}

interface StateAfter {
  readonly market: MarketState;
  readonly holding: Holding;
}

async function readState(client: PublicClient, request: ValueRequest): Promise<StateAfter | undefined> {
  const { strategy, protocol, wallet, block, signal } = request;
  const [market, holding] = [protocol.market(strategy), protocol.holding(strategy, wallet)];
  try {
    const reads = [...market.reads, ...holding.reads];
    const results = await readAll(client, reads, { blockNumber: block.number, signal });
    const split = market.reads.length;
    const decoded = {
      market: decodeAt(market, results.slice(0, split), block),
      holding: decodeAt(holding, results.slice(split), block),
    };
    if (decoded.market === undefined || decoded.holding === undefined) return undefined;
    return { market: decoded.market, holding: decoded.holding };
  } catch (error) {
    const isRefused = nodeErrorOf(error) !== undefined || isExecutionFailure(error);
    if (!isRefused || isRateLimited(error)) throw error;
    return undefined;
  }
}

const decodeAt = <Result>(
  read: ProtocolRead<Result>,
  results: readonly unknown[],
  block: ReadBlock,
): Result | undefined => read.decode(results, block);

/** The changes together lead to the shares after the block. All but the last of them follow from their assets. */
function withShares(
  { changes, sharesBefore }: ValueRequest,
  { market, holding }: StateAfter,
): readonly PositionChange[] {
  if (changes.every(({ shares }) => shares !== undefined)) return changes;
  if (sharesBefore === undefined || market.sharePriceRay === 0n) return changes;
  let shares = sharesBefore;
  const last = changes.length - 1;
  const valued = changes.map((change, index): PositionChange => {
    const sign = isInflow(change.kind) ? 1n : -1n;
    const moved =
      index === last ? sign * (holding.shares - shares) : (change.shares ?? sharesOf(change, market.sharePriceRay));
    shares += sign * moved;
    return { ...change, shares: moved, sharePriceRay: change.sharePriceRay ?? market.sharePriceRay };
  });
  // A change against its own direction shows that something else has changed the shares: then none of them is certain.
  return valued.some((change) => (change.shares ?? 0n) < 0n) ? changes : valued;
}

const sharesOf = ({ kind, assets = 0n }: PositionChange, price: bigint): bigint =>
  isInflow(kind) ? (assets * RAY) / price : (assets * RAY + price - 1n) / price;

function withAssets(change: PositionChange, { sharePriceRay }: MarketState): PositionChange {
  const { shares, assets } = change;
  if (assets !== undefined || shares === undefined) return change;
  return { ...change, assets: (shares * sharePriceRay) / RAY, sharePriceRay };
}
