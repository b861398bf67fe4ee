import { assertNotBlocked } from '../../auth/sanctions';
import type { CustomerId } from '../../auth/principal';
import type { PageRequest } from '../../actions/pagination';
import { validationError } from '../../errors/validation';
import type { Strategy } from '../strategy';
import { groupBy } from './group-by';
import { historyBounds, listPositionHistory, type PositionHistory } from './position-history';
import type { PositionOwner } from './position-store';
import { type PositionReading, readPosition, readPositions } from './read-positions';
import type { PositionView } from './position-view';
import { describePositions, type EarnDeps, ownerOf } from './wallet-earn';

interface PositionKey {
  /** Canonical address. */
  readonly wallet: string;
  readonly strategy: Strategy;
}

interface KeysRequest {
  readonly customerId: CustomerId;
  readonly keys: readonly PositionKey[];
  readonly signal: AbortSignal;
}

/** Each takes calls to all chains of its strategies. */
const MAX_WALLETS_AT_ONCE = 4;

/**
 * The positions of wallets in some strategies, in the order of the keys; `undefined` where a wallet holds nothing. An
 * unavailable chain is the error of its own positions.
 */
export async function readHeldPositions(
  deps: EarnDeps,
  { customerId, keys, signal }: KeysRequest,
): Promise<readonly (PositionView | Error | undefined)[]> {
  const groups = [...groupBy(keys, ({ wallet }) => wallet)];
  const byWallet = new Map<string, ReadonlyMap<string, PositionView | Error> | Error>();
  for (let start = 0; start < groups.length; start += MAX_WALLETS_AT_ONCE) {
    const some = groups.slice(start, start + MAX_WALLETS_AT_ONCE).map(async ([wallet, own]) => {
      const strategies = own.map(({ strategy }) => strategy);
      byWallet.set(wallet, await readOfWallet(deps, { customerId, wallet, strategies, signal }));
    });
    await Promise.all(some);
  }
  return keys.map(({ wallet, strategy }) => {
    const found = byWallet.get(wallet);
    return found instanceof Error ? found : found?.get(strategy.row.id);
  });
}

async function readOfWallet(
  deps: EarnDeps,
  {
    customerId,
    wallet,
    strategies,
    signal,
  }: Omit<KeysRequest, 'keys'> & { readonly wallet: string; readonly strategies: readonly Strategy[] },
): Promise<ReadonlyMap<string, PositionView | Error> | Error> {
  try {
    const owner = parsePositionOwner(deps, customerId, wallet);
    const { positions, failures } = await readPositions(deps, { owner, strategies, includeEmpty: false, signal });
    const views = await describePositions(deps, owner, positions);
    const failed = failures.flatMap((failure) => failure.strategies.map(({ row }) => [row.id, failure.error] as const));
    return new Map<string, PositionView | Error>([
      ...failed,
      ...views.map((view) => [view.reading.strategy.row.id, view] as const),
    ]);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** @throws FORBIDDEN for a blocked wallet, VALIDATION_ERROR for one of another kind of chain */
export function parsePositionOwner(
  { blockedAddresses }: Pick<EarnDeps, 'blockedAddresses'>,
  customerId: CustomerId,
  wallet: string,
): PositionOwner {
  assertNotBlocked(blockedAddresses, [wallet]);
  const owner = ownerOf(customerId, wallet);
  if (owner !== undefined) return owner;
  throw validationError([{ path: 'wallet', message: 'must be an EVM address: strategies are on EVM chains' }]);
}

/** A position, also an empty one, and what its history is read with. */
export interface OnePosition {
  readonly owner: PositionOwner;
  readonly reading: PositionReading;
  readonly view: PositionView;
}

/** @throws FORBIDDEN, VALIDATION_ERROR, LENDING_SERVICE_UNAVAILABLE */
export async function readOnePosition(
  deps: EarnDeps,
  { customerId, wallet, strategy, signal }: PositionKey & Omit<KeysRequest, 'keys'>,
): Promise<OnePosition> {
  const owner = parsePositionOwner(deps, customerId, wallet);
  const reading = await readPosition(deps, { owner, strategy, signal });
  const [view] = await describePositions(deps, owner, [reading]);
  if (view === undefined) throw validationError([{ path: 'wallet', message: 'has no position' }]);
  return { owner, reading, view };
}

/**
 * A page of the changes of a wallet's position, the newest first.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, STRATEGY_NOT_FOUND, LENDING_SERVICE_UNAVAILABLE
 */
export async function readStrategyHistory(
  deps: EarnDeps,
  {
    customerId,
    wallet,
    strategyId,
    signal,
    ...page
  }: PageRequest & Omit<KeysRequest, 'keys'> & { readonly wallet: string; readonly strategyId: string },
): Promise<PositionHistory & { readonly stale: boolean }> {
  historyBounds(page);
  const owner = parsePositionOwner(deps, customerId, wallet);
  const strategy = deps.strategies.get(strategyId);
  const reading = await readPosition(deps, { owner, strategy, signal });
  const history = await listPositionHistory(deps, { owner, reading, page });
  return { ...history, stale: reading.problem !== undefined };
}
