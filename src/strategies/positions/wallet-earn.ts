import { isAddress } from 'viem';
import { assertNotBlocked } from '../../auth/sanctions';
import type { CustomerId } from '../../auth/principal';
import type { ServiceError } from '../../errors/service-error';
import { formatUsd, type MicroUsd, sumUsd, type UsdPrice } from '../../money/usd';
import type { Token } from '../../tokens/token';
import type { FeeReader } from '../fees/customer-fees';
import { readFeePositions } from '../fees/fee-positions';
import type { Strategies } from '../catalog/strategies';
import { slugOf } from '../catalog/merge-rows';
import type { Strategy } from '../strategy';
import { type ListStrategiesDeps, viewOf } from '../views/list-strategies';
import { yieldsOf } from '../views/market-figures';
import type { PositionDeps } from './position-deps';
import type { PositionOwner } from './position-store';
import { readRealizedYields, type YieldDeps } from './position-yields';
import { type PositionReading, type PositionReadings, readPositions, withoutUnknownRewards } from './read-positions';
import { spotPosition, type SpotPositionDeps } from './spot-position';
import { missingActions } from './apply-deltas';
import { readWalletActions, type WalletActions } from './executed-actions';
import { groupBy } from './group-by';
import type { EarnPositionView, PositionView } from './position-view';
import { REAL } from '../../prices/real';
import { isKept, keepUnavailablePositions } from './keep-unavailable-positions';
import { restorePositions, type PositionJson } from './stored-positions';

export type EarnDeps = PositionDeps &
  YieldDeps &
  Omit<ListStrategiesDeps, 'fees'> & {
    readonly readFees: FeeReader;
    readonly strategies: Strategies;
    readonly blockedAddresses: ReadonlySet<string>;
  };

export interface EarnError {
  readonly code: ServiceError['code'];
  readonly message: string;
  /** `undefined` when the strategies of a chain were not read yet. */
  readonly strategyId: string | undefined;
}

export const SNAPSHOT_STATES = ['fresh', 'stale', 'computing', 'failed'] as const;

/** All positions of a wallet. */
export interface WalletEarn {
  readonly positions: readonly EarnPositionView[];
  /** Last known positions in strategies that this process has not read from their chain yet. They are kept for later and not shown. */
  readonly unread: readonly PositionJson[];
  readonly summary: { readonly totalProfitInUSD: string; readonly totalUnderlyingBalanceUSD: string };
  readonly snapshot: {
    readonly state: (typeof SNAPSHOT_STATES)[number];
    readonly staleReason: string | undefined;
  };
  /** The block at which the positions of each chain were read, by the id of the chain. */
  readonly blocks: Readonly<Record<string, bigint>>;
  /** Ids of the strategies that could not be read. */
  readonly unavailable: readonly string[];
  /** The pending actions, and the executed ones that the positions do not contain. */
  readonly actions: WalletActions;
  readonly staleness: { readonly stalePositions: number; readonly oldestAsOf: Date | undefined };
  readonly errors: readonly EarnError[];
  /** Price of one real in US dollars, for the history of values. */
  readonly real: UsdPrice | undefined;
}

interface WalletRequest {
  readonly customerId: CustomerId;
  /** Canonical address. */
  readonly wallet: string;
  readonly signal: AbortSignal;
  /** A former result, for strategies that are unavailable now. */
  readonly previous?: WalletEarn | undefined;
}

/** Strategies of one chain that cannot be read have one error each, at most this many. */
const MAX_ERRORS = 100;

/**
 * The positions of a wallet in all strategies. A chain that does not respond has errors, and the last known positions when there
 * are any, and leaves the others intact. Wallets that are no EVM addresses have none.
 *
 * @throws FORBIDDEN for a blocked wallet
 */
export async function readWalletEarn(deps: EarnDeps, request: WalletRequest): Promise<WalletEarn> {
  const { customerId, wallet, signal, previous } = request;
  assertNotBlocked(deps.blockedAddresses, [wallet]);
  const owner = ownerOf(customerId, wallet);
  await deps.strategies.ready();
  const catalog = catalogNow(deps);
  const [readings, actions, [real]] = await Promise.all([
    owner === undefined
      ? NOTHING
      : readPositions(deps, { owner, strategies: catalog.strategies, includeEmpty: false, signal }),
    readWalletActions(deps, { customerId, wallets: [wallet] }),
    deps.prices.read([REAL]),
  ]);
  const restored = restorePositions(catalog.strategies, previous?.unread ?? []);
  const former = [...(previous?.positions ?? []), ...restored.positions];
  const shown = withoutUnknownRewards(readings.positions, new Set(former.map(({ strategy }) => strategy.id)));
  const described = owner === undefined ? [] : await describePositions(deps, owner, shown);
  const now = new Date();
  const unavailable = [
    ...readings.failures.flatMap(({ strategies }) => strategies.map(({ row }) => row.id)),
    ...catalog.unavailable,
  ];
  const positions = keepUnavailablePositions(
    described.map(({ strategy, spotPosition: spot }) => ({ strategy, spotPosition: spot })),
    former,
    { unavailable: new Set(unavailable), catalog: catalog.strategies.map(({ row }) => row.id), now },
  );
  const errors = [...readings.failures.flatMap(errorsOf), ...catalog.errors].slice(0, MAX_ERRORS);
  return {
    positions,
    unread: restored.unknown.filter(({ spotPosition: spot }) => isKept(spot, now)),
    summary: summaryOf(positions),
    snapshot: snapshotOf(positions, { errors, wasRead: positions.length > 0 || wasRead(catalog, readings) }),
    blocks: readings.blocks,
    unavailable,
    actions: missingActions({ positions, blocks: readings.blocks, unavailable }, actionsOf(actions, wallet)),
    staleness: stalenessOf(positions),
    errors,
    real: real?.price?.usdE24,
  };
}

/** False when no strategy could be read. */
function wasRead({ strategies }: Catalog, { failures }: PositionReadings): boolean {
  const unread = failures.reduce((count, failure) => count + failure.strategies.length, 0);
  return strategies.length > unread;
}

/** The catalog at one time: a chain that responds during a reading does not hide that its strategies were left out. */
interface Catalog {
  readonly strategies: readonly Strategy[];
  /** Ids of strategies that were not read since the start of the process, or that their chain suddenly refuses. */
  readonly unavailable: readonly string[];
  /** Strategies that are left out. */
  readonly errors: readonly EarnError[];
}

function catalogNow({ strategies }: EarnDeps): Catalog {
  const states = strategies.states();
  return {
    strategies: strategies.all(),
    unavailable: states.flatMap(({ waiting, doubtful }) => [...waiting, ...doubtful]),
    errors: unknownStrategies(states),
  };
}

const NOTHING: PositionReadings = { positions: [], failures: [], blocks: {} };
const NO_ACTIONS: WalletActions = { pendingCount: 0, executed: [], since: undefined };

const actionsOf = (actions: ReadonlyMap<string, WalletActions>, wallet: string): WalletActions =>
  actions.get(wallet) ?? NO_ACTIONS;

/** `undefined` for a wallet of a chain without strategies. */
export const ownerOf = (customerId: CustomerId, wallet: string): PositionOwner | undefined =>
  isAddress(wallet, { strict: false }) ? { customerId, wallet } : undefined;

/** Positions as clients show them: one batch of prices, one query for the fees, and two for the yields. */
export async function describePositions(
  deps: EarnDeps,
  owner: PositionOwner,
  readings: readonly PositionReading[],
): Promise<readonly PositionView[]> {
  if (readings.length === 0) return [];
  const now = endOfMinute();
  const fees = await deps.readFees(owner.customerId);
  const [prices, charged, realized, snapshot] = await Promise.all([
    readPrices(deps, readings),
    readFeePositions(deps, { owner, readings, fees }),
    readRealizedYields(deps, { owner, readings, now }),
    deps.markets.read(),
  ]);
  return readings.map((reading, index): PositionView => {
    const { strategy } = reading;
    const own = fees.of(strategy);
    const yields = yieldsOf(strategy, snapshot.byStrategy.get(slugOf(strategy.row.id)), own);
    return {
      reading,
      strategy: viewOf({ fees }, strategy, { snapshot, detail: 'FULL' }),
      spotPosition: {
        ...spotPosition(reading, { ...(prices[index] ?? NO_PRICES), fees: own, charged: charged[index] }),
        ...yields,
        apy: yields.grossAPY,
        ...(realized[index] ?? { realizedApy7d: undefined, realizedApy30d: undefined }),
      },
    };
  });
}

const MINUTE_MS = 60_000;

/** The yields of an unchanged position are the same for a minute, so that its text is. Their prices are those of an hour. */
const endOfMinute = (): Date => new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS);

type PositionPrices = Pick<SpotPositionDeps, 'price' | 'rewardPrices'>;
const NO_PRICES: PositionPrices = { price: undefined, rewardPrices: [] };

/** Prices of the assets and of the rewards of positions. */
async function readPrices(
  { prices }: PositionDeps,
  readings: readonly PositionReading[],
): Promise<readonly PositionPrices[]> {
  const tokens = readings.map(({ strategy, holding }): readonly Token[] => [
    strategy.underlying,
    ...(holding.rewards ?? []).map(({ token }) => token),
  ]);
  const read = (await prices.read(tokens.flat())).map(({ price }) => price?.usdE24);
  let next = 0;
  return tokens.map(({ length }) => {
    const [price, ...rewardPrices] = read.slice(next, next + length);
    next += length;
    return { price, rewardPrices };
  });
}

type PositionFailure = PositionReadings['failures'][number];

const errorsOf = ({ strategies, error: { code, message } }: PositionFailure): readonly EarnError[] =>
  strategies.map((strategy: Strategy) => ({ code, message, strategyId: strategy.row.id }));

/** Strategies that were not read since the start of the process, and those that their chain suddenly refuses. */
const unknownStrategies = (states: ReturnType<Strategies['states']>): readonly EarnError[] =>
  states.flatMap(({ chain, reason, waiting, refused, doubtful }) => [
    ...(waiting.size > 0 ? [unreadError(`${String(waiting.size)} strategies of ${chain.slug}`, reason)] : []),
    ...[...doubtful].map((id) => unreadError(`The strategy ${id}`, refused.get(id), id)),
  ]);

const unreadError = (what: string, reason: string | undefined, strategyId?: string): EarnError => ({
  code: 'LENDING_SERVICE_UNAVAILABLE',
  message: `${what} could not be read${reason === undefined ? ' yet' : `: ${reason}`}`,
  strategyId,
});

/** Sums over positions. */
export const summaryOf = (positions: readonly EarnPositionView[]): WalletEarn['summary'] => ({
  totalProfitInUSD: totalUsd(positions.map(({ spotPosition: spot }) => spot.profitUsd)),
  totalUnderlyingBalanceUSD: totalUsd(positions.map(({ spotPosition: spot }) => spot.valueUsd)),
});

const totalUsd = (amounts: readonly (MicroUsd | undefined)[]): string =>
  formatUsd(sumUsd(amounts.filter((amount) => amount !== undefined)));

function stalenessOf(positions: readonly EarnPositionView[]): WalletEarn['staleness'] {
  const stale = positions.filter(({ spotPosition: { stale: isStale } }) => isStale);
  const times = positions.map(({ spotPosition: { asOf } }) => asOf.getTime());
  return {
    stalePositions: stale.length,
    oldestAsOf: times.length === 0 ? undefined : new Date(Math.min(...times)),
  };
}

function snapshotOf(
  positions: readonly EarnPositionView[],
  { errors, wasRead: isRead }: { readonly errors: readonly EarnError[]; readonly wasRead: boolean },
): WalletEarn['snapshot'] {
  const reasons = positions.flatMap(({ spotPosition: { staleReason } }) => staleReason ?? []);
  return {
    state: stateOf({ reasons, errors, isRead }),
    staleReason: errors[0]?.code ?? reasons[0],
  };
}

function stateOf({
  reasons,
  errors,
  isRead,
}: {
  readonly reasons: readonly string[];
  readonly errors: readonly EarnError[];
  readonly isRead: boolean;
}): WalletEarn['snapshot']['state'] {
  if (errors.length > 0) return isRead ? 'stale' : 'failed';
  if (reasons.includes('HISTORY_INCOMPLETE')) return 'computing';
  return reasons.length > 0 ? 'stale' : 'fresh';
}

const MAX_ACTIONS = 50;

/** Ids of the customer's actions of a wallet in each of the strategies, the newest 50 of each. One query. */
export async function findInvestmentActions(
  { database }: Pick<EarnDeps, 'database'>,
  {
    customerId,
    wallet,
    strategyIds,
  }: Pick<PositionOwner, 'customerId'> & { readonly wallet: string; readonly strategyIds: readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database.$queryRaw<{ readonly strategyId: string; readonly id: string }[]>`
    SELECT wanted.id AS "strategyId", action.id::text AS id
      FROM unnest(${[...strategyIds]}::text[]) AS wanted (id)
     CROSS JOIN LATERAL (
       SELECT action.id FROM "Action" AS action
        WHERE action."customerId" = ${customerId}::uuid AND action."originAddress" = ${wallet}
          AND action."strategyId" = wanted.id AND NOT action."isDraft"
        ORDER BY action.id DESC LIMIT ${MAX_ACTIONS}) AS action`;
  const byStrategy = groupBy(rows, ({ strategyId }) => strategyId);
  return new Map(strategyIds.map((id) => [id, (byStrategy.get(id) ?? []).map((row) => row.id)]));
}
