import type { FeeReader } from '../fees/customer-fees';
import { readFeePositions } from '../fees/fee-positions';
import type { PositionDeps } from '../positions/position-deps';
import { feeOnWithdrawal } from '../fees/profit-fees';
import { readPosition } from '../positions/read-positions';
import type { Strategy } from '../strategy';
import { profitBpsOf, type StrategyFees } from '../strategy-fees';
import { type CollectionDeps, registryPlace } from './advance-registry-writes';
import type { ClaimedCollectionItem } from './collection-items';
import { sharesToCollect } from './collection-registry';

export interface DueSharesDeps extends CollectionDeps {
  readonly positions: PositionDeps;
  readonly readFees: FeeReader;
}

/**
 * What a wallet owes now.
 *
 * - `shares`: to collect, with the fees from which they follow.
 * - `skip`: why nothing is due in this run.
 * - `later`: why the amount is not certain yet.
 */
export type DueShares =
  | { readonly kind: 'shares'; readonly shares: bigint; readonly fees: StrategyFees }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string };

const skip = (reason: string): DueShares => ({ kind: 'skip', reason });

/**
 * The shares that a wallet owes: at most what the registry allows, and what a withdrawal of everything would cost. What they do
 * not cover stays due at a withdrawal.
 *
 * @throws PROVIDER_UNAVAILABLE, LENDING_SERVICE_UNAVAILABLE when the chain does not respond
 */
export async function readDueShares(
  deps: DueSharesDeps,
  item: ClaimedCollectionItem,
  { strategy, signal }: { readonly strategy: Strategy; readonly signal: AbortSignal },
): Promise<DueShares> {
  const { customerId, wallet } = item;
  const place = registryPlace(deps, item);
  const [customerFees, [collectable = 0n]] = await Promise.all([
    deps.readFees(customerId),
    deps.registry.readCollectables(place, [wallet]),
  ]);
  if (collectable === 0n) return skip(NOTHING);
  const fees = customerFees.of(strategy);
  const bps = profitBpsOf(fees);
  const owner = { customerId, wallet };
  const reading = await readPosition(deps.positions, { owner, strategy, signal });
  const request = { owner, readings: [reading], fees: customerFees, isCollecting: true };
  const [state] = await readFeePositions(deps.positions, request);
  if (state === undefined) return { kind: 'later', reason: 'The history of the position is not complete' };
  const { value } = reading.holding;
  const fee = feeOnWithdrawal({ position: { state, value }, assets: value, shares: state.shares, bps });
  const shares = sharesToCollect(collectable, { shares: state.shares, value, fee });
  return shares === 0n ? skip(NOTHING) : { kind: 'shares', shares, fees };
}

export const NOTHING = 'Nothing to collect';
