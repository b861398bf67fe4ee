import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import type { Chain } from '../../chains/chain';
import { InvariantError } from '../../errors/invariant-error';
import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import { sumUsd } from '../../money/usd';
import { readProtocols } from '../catalog/read-at-block';
import type { StrategyHolding } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { checkHistory, type HistoryProblem } from './check-history';
import type { PositionDeps } from './position-deps';
import type { PositionEntry, PositionTotal } from './position-entry';
import type { PositionOwner } from './position-store';
import type { PositionState } from './position-state';
import { usdOf } from './amount-view';
import { walkPositions, type WalkedPosition } from './walk-positions';
import { readersOf } from './wallet-orders';
import { groupBy } from './group-by';

/** What a wallet has in a strategy, and what it has paid for it. */
export interface PositionReading {
  readonly strategy: Strategy;
  /** Block and time of the holding. */
  readonly asOf: { readonly blockNumber: bigint; readonly time: Date };
  readonly holding: StrategyHolding;
  /** Cost of the shares; `undefined` while it is uncertain, or was not read because the position is empty. */
  readonly state: PositionState | undefined;
  readonly total: PositionTotal | undefined;
  /** Entries of blocks that are not final. The others are stored. */
  readonly recent: readonly PositionEntry[];
  readonly problem: HistoryProblem | undefined;
}

/** A strategy, or all of a chain, that could not be read. */
interface PositionFailure {
  readonly chain: Chain;
  readonly strategies: readonly Strategy[];
  readonly error: ServiceError;
}

export interface PositionReadings {
  readonly positions: readonly PositionReading[];
  readonly failures: readonly PositionFailure[];
  /** The block of the holdings of each chain that was read, by the id of the chain. */
  readonly blocks: Readonly<Record<string, bigint>>;
}

export interface PositionsRequest {
  readonly owner: PositionOwner;
  /** The strategies to read. */
  readonly strategies: readonly Strategy[];
  /** Whether strategies are described, and their history is read, in which the wallet has nothing. */
  readonly includeEmpty: boolean;
  readonly signal: AbortSignal;
}

/** Time limit of the holdings on one chain. */
const HOLDINGS_TIMEOUT_MS = 2000;
/** Time limit and ranges of the histories on one chain. A worker continues later. */
const WALK_TIMEOUT_MS = 1500;
const MAX_RANGES = 8;
/** Longer than both and the prices, also with the longest time for reads that a deployment may set. */
const OVERALL_TIMEOUT_MS = 30_000;

/**
 * The positions of a wallet, one chain beside the other: the holdings of all strategies in one multicall, then the history of
 * those that it holds. An unavailable chain leaves the others intact. Dust counts as nothing: without `includeEmpty`, what has only
 * rewards to claim has no history either.
 */
export async function readPositions(deps: PositionDeps, request: PositionsRequest): Promise<PositionReadings> {
  const byChain = groupBy(request.strategies, ({ chain }) => chain.chainId);
  const chains = [...byChain.values()].flatMap((strategies) => {
    const [first] = strategies;
    return first === undefined ? [] : readOnce(deps, { ...request, chain: first.chain, strategies });
  });
  const read = await Promise.all(chains);
  return {
    positions: read.flatMap(({ positions }) => positions),
    failures: read.flatMap(({ failures }) => failures),
    blocks: Object.fromEntries(read.flatMap(({ blocks }) => Object.entries(blocks))),
  };
}

interface ChainRequest extends PositionsRequest {
  readonly chain: Chain;
}

/** Reads in progress: equal ones at the same time share the calls to the chain. */
const running = new WeakMap<PositionDeps['rpc'], Map<string, Promise<PositionReadings>>>();

/** The read has time limits of its own. A caller that goes away leaves it to the others. */
function readOnce(deps: PositionDeps, { signal, ...request }: ChainRequest): Promise<PositionReadings> {
  const { owner, chain, strategies, includeEmpty } = request;
  const reads = running.get(deps.rpc) ?? new Map<string, Promise<PositionReadings>>();
  running.set(deps.rpc, reads);
  const ids = strategies.map(({ row }) => row.id);
  const key = JSON.stringify([owner.customerId, owner.wallet, chain.chainId, includeEmpty, ids]);
  const known = reads.get(key);
  if (known !== undefined) return rejectOnAbort(known, signal);
  const read = readChain(deps, { ...request, signal: AbortSignal.timeout(OVERALL_TIMEOUT_MS) }).finally(() =>
    reads.delete(key),
  );
  reads.set(key, read);
  return rejectOnAbort(read, signal);
}

async function readChain(deps: PositionDeps, request: ChainRequest): Promise<PositionReadings> {
  const { chain, strategies } = request;
  try {
    const { block, held, unread } = await readHoldings(deps, request);
    const shown = request.includeEmpty ? held : await withoutSmallRewards(deps, held);
    const positions = await readHistories(deps, request, { block, held: shown });
    const failures = unread.length === 0 ? [] : [{ chain, strategies: unread, error: unavailable() }];
    return { positions, failures, blocks: { [chain.chainId]: block.number } };
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    const error = isServiceError(cause) && cause.code !== 'PROVIDER_UNAVAILABLE' ? cause : unavailable(cause);
    return { positions: [], failures: [{ chain, strategies, error }], blocks: {} };
  }
}

const unavailable = (cause?: unknown): ServiceError => serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { cause });

interface HeldStrategy {
  readonly strategy: Strategy;
  readonly holding: StrategyHolding;
}

interface Holdings {
  readonly block: { readonly number: bigint; readonly timestamp: bigint };
  readonly held: readonly HeldStrategy[];
  readonly unread: readonly Strategy[];
}

async function readHoldings(
  deps: PositionDeps,
  { chain, strategies, owner, includeEmpty, signal }: ChainRequest,
): Promise<Holdings> {
  const { rpc } = deps;
  const readers = await readersOf(deps, owner, strategies);
  const reads = strategies.map((strategy) => {
    const reader = readers.get(strategy);
    if (reader === undefined) throw new InvariantError(`the protocol ${strategy.row.protocol} is not served`);
    return reader.holding(strategy, owner.wallet);
  });
  const limit = anySignal(signal, AbortSignal.timeout(deps.holdingsTimeoutMs ?? HOLDINGS_TIMEOUT_MS));
  const { block, states } = await readProtocols({ rpc }, { chain, reads, signal: limit });
  const results = strategies.map((strategy, index) => {
    const state = states[index];
    return { strategy, holding: state?.kind === 'read' ? state.value : undefined };
  });
  return {
    block,
    held: results.flatMap(({ strategy, holding }) =>
      holding !== undefined && (includeEmpty || isShown(holding)) ? { strategy, holding } : [],
    ),
    unread: results.filter(({ holding }) => holding === undefined).map(({ strategy }) => strategy),
  };
}

/** A wallet that has withdrawn everything may still have rewards to claim. */
const isShown = (holding: StrategyHolding): boolean => isKnown(holding) || holding.unreadRewards !== undefined;

const isKnown = (holding: StrategyHolding): boolean => isHeld(holding) || (holding.rewards ?? []).length > 0;

/** True for a position, and for a deposit or purchase that was requested: their histories are read. */
const isHeld = (holding: StrategyHolding): boolean => !isDust(holding) || holding.requests !== undefined;

/**
 * Without empty positions whose rewards cannot be read, unless the wallet had one there: most wallets have no rewards in most strategies.
 * `former`: ids of strategies.
 */
export const withoutUnknownRewards = (
  positions: readonly PositionReading[],
  former: ReadonlySet<string>,
): readonly PositionReading[] =>
  positions.filter(({ strategy, holding }) => isKnown(holding) || former.has(strategy.row.id));

/** The rest that a protocol leaves when it rounds: nothing could be withdrawn. */
export const isDust = ({ shares, value }: StrategyHolding): boolean => shares <= 1n || value === 0n;

/** Smallest worth, in millionths of a dollar, of the rewards of an empty position that is shown: the gas of a claim costs more. */
const MIN_REWARDS_USD = 10_000n;

/** Without empty positions whose rewards are worth too little. Those without a price are shown. */
async function withoutSmallRewards(
  { prices }: Pick<PositionDeps, 'prices'>,
  held: readonly HeldStrategy[],
): Promise<readonly HeldStrategy[]> {
  const rewards = held.flatMap(({ holding }) => (isHeld(holding) ? [] : (holding.rewards ?? [])));
  if (rewards.length === 0) return held;
  const read = await prices.read(rewards.map(({ token }) => token));
  const worth = new Map(
    rewards.map((reward, index) => [reward, usdOf(reward.amount, reward.token, read[index]?.price?.usdE24)]),
  );
  return held.filter(({ holding }) => {
    if (isHeld(holding) || holding.unreadRewards !== undefined) return true;
    const amounts = (holding.rewards ?? []).map((reward) => worth.get(reward));
    const known = amounts.filter((amount) => amount !== undefined);
    return known.length < amounts.length || sumUsd(known) >= MIN_REWARDS_USD;
  });
}

async function readHistories(
  deps: PositionDeps,
  { owner, chain, includeEmpty, signal }: ChainRequest,
  { block, held }: Pick<Holdings, 'block' | 'held'>,
): Promise<readonly PositionReading[]> {
  const followed = held.filter(({ holding }) => includeEmpty || isHeld(holding)).map(({ strategy }) => strategy);
  const walked =
    followed.length === 0
      ? []
      : await walkPositions(deps, {
          owner,
          chain,
          strategies: followed,
          head: block.number,
          maxRanges: MAX_RANGES,
          readMs: deps.walkTimeoutMs ?? WALK_TIMEOUT_MS,
          signal,
        });
  const byStrategy = new Map(walked.map((position) => [position.strategy, position]));
  const asOf = { blockNumber: block.number, time: timeOf(block.timestamp) };
  return Promise.all(
    held.map(({ strategy, holding }) => {
      const history = followed.includes(strategy) ? { walked: byStrategy.get(strategy) } : undefined;
      return readingOf(deps, { owner, strategy, holding, asOf, history });
    }),
  );
}

const timeOf = (timestamp: bigint): Date => new Date(Number.parseInt(timestamp.toString(), 10) * 1000);

async function readingOf(
  deps: PositionDeps,
  {
    owner,
    strategy,
    holding,
    asOf,
    history,
  }: Pick<PositionReading, 'strategy' | 'holding' | 'asOf'> & {
    readonly owner: PositionOwner;
    /** `undefined` when it is not needed. */
    readonly history: { readonly walked: WalkedPosition | undefined } | undefined;
  },
): Promise<PositionReading> {
  if (history === undefined)
    return { strategy, holding, asOf, state: undefined, total: undefined, recent: [], problem: undefined };
  const { walked } = history;
  const common = { strategy, holding, asOf, recent: walked?.recent ?? [] };
  if (walked === undefined) return { ...common, state: undefined, total: undefined, problem: 'HISTORY_INCOMPLETE' };
  const checked = await checkHistory(deps, { owner, walked, shares: holding.shares });
  if ('problem' in checked) return { ...common, state: undefined, total: walked.total, problem: checked.problem };
  return { ...common, state: checked.state, total: walked.total, problem: undefined };
}

/** The position of a wallet in one strategy, also when it holds nothing there. @throws LENDING_SERVICE_UNAVAILABLE */
export async function readPosition(
  deps: PositionDeps,
  {
    owner,
    strategy,
    signal,
  }: { readonly owner: PositionOwner; readonly strategy: Strategy; readonly signal: AbortSignal },
): Promise<PositionReading> {
  const read = await readPositions(deps, { owner, strategies: [strategy], includeEmpty: true, signal });
  const [position, failure] = [read.positions[0], read.failures[0]];
  if (position === undefined) throw failure?.error ?? unavailable();
  return position;
}
