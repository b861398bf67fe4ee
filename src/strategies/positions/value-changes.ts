import type { Address, PublicClient } from 'viem';
import { readAll } from '../../rpc/multicall';
import { isExecutionFailure, isStateMissing } from '../../rpc/rpc-failure';
import type {
  StrategyHolding,
  MarketState,
  PositionChange,
  ProtocolReader,
  ProtocolRead,
  ReadBlock,
} from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { isInflow } from './position-state';

const RAY = 10n ** 27n;

export interface ValueRequest {
  readonly strategy: Strategy;
  readonly protocol: ProtocolReader;
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
 * @throws the error of the transport, and one of the node that may pass
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
  /** Read when the logs do not state all shares. */
  readonly holding: StrategyHolding | undefined;
}

async function readState(client: PublicClient, request: ValueRequest): Promise<StateAfter | undefined> {
  const { strategy, protocol, wallet, block, changes, signal } = request;
  const market = protocol.market(strategy);
  const isShareMissing = changes.some(({ shares }) => shares === undefined);
  const holding = isShareMissing ? protocol.holding(strategy, wallet) : undefined;
  try {
    const reads = [...market.reads, ...(holding?.reads ?? [])];
    const results = await readAll(client, reads, { blockNumber: block.number, signal });
    const split = market.reads.length;
    const state = decodeAt(market, results.slice(0, split), block);
    if (state === undefined) return undefined;
    if (holding === undefined) return { market: state, holding: undefined };
    const held = decodeAt(holding, results.slice(split), block);
    return held === undefined ? undefined : { market: state, holding: held };
  } catch (error) {
    // Any other error of the node may pass.
    if (isStateMissing(error) || isExecutionFailure(error)) return undefined;
    throw error;
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
  if (holding === undefined || sharesBefore === undefined || market.sharePriceRay === 0n) return changes;
  const moved = movedShares(changes, { before: sharesBefore, after: holding.shares, price: market.sharePriceRay });
  if (moved === undefined) return changes;
  return changes.map((change, index): PositionChange => ({
    ...change,
    shares: moved[index],
    sharePriceRay: change.sharePriceRay ?? market.sharePriceRay,
  }));
}

const signOf = ({ kind }: PositionChange): bigint => (isInflow(kind) ? 1n : -1n);

/** `undefined` when something else has changed the shares: then none of the changes is certain. */
function movedShares(
  changes: readonly PositionChange[],
  { before, after, price }: { readonly before: bigint; readonly after: bigint; readonly price: bigint },
): readonly bigint[] | undefined {
  const last = changes.at(-1);
  if (last === undefined) return [];
  const earlier = changes.slice(0, -1);
  const estimates = earlier.map((change) => change.shares ?? sharesOf(change, price));
  const sum = estimates.reduce((shares, moved, index) => shares + signOf(earlier[index] ?? last) * moved, before);
  const rest = signOf(last) * (after - sum);
  if (rest >= 0n) return [...estimates, rest];
  const rounded = withoutRounding(earlier, { estimates, excess: -rest, sign: signOf(last) });
  return rounded === undefined ? undefined : [...rounded, 0n];
}

/**
 * Takes an excess from the estimated shares, one unit of each change at most: what the rounding of a change can make. A last
 * change of dust is smaller than the rounding of those before it.
 */
function withoutRounding(
  changes: readonly PositionChange[],
  {
    estimates,
    excess,
    sign,
  }: { readonly estimates: readonly bigint[]; readonly excess: bigint; readonly sign: bigint },
): readonly bigint[] | undefined {
  let left = excess;
  const rounded = estimates.map((estimate, index) => {
    const change = changes[index];
    const step = change !== undefined && signOf(change) === sign ? -1n : 1n;
    if (left === 0n || change?.shares !== undefined || estimate + step < 0n) return estimate;
    left -= 1n;
    return estimate + step;
  });
  return left === 0n ? rounded : undefined;
}

const sharesOf = ({ kind, assets = 0n }: PositionChange, price: bigint): bigint =>
  isInflow(kind) ? (assets * RAY) / price : (assets * RAY + price - 1n) / price;

function withAssets(change: PositionChange, { sharePriceRay }: MarketState): PositionChange {
  const { shares, assets } = change;
  if (assets !== undefined || shares === undefined) return change;
  return { ...change, assets: (shares * sharePriceRay) / RAY, sharePriceRay };
}
