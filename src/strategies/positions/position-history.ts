import { pageBounds, type PageRequest, type Pagination, paginationOf } from '../../actions/pagination';
import { formatUsd, type UsdPrice } from '../../money/usd';
import type { Database } from '../../persistence/database';
import { readHistories } from '../../prices/samples/price-sample-store';
import { formatBaseUnits } from '../../money/base-units';
import type { Strategy } from '../strategy';
import { type AmountView, amountView, usdOf } from './amount-view';
import type { PositionDeps } from './position-deps';
import type { PositionEntry } from './position-entry';
import { listStoredEntries } from './entry-store';
import type { PositionOwner } from './position-store';
import type { PositionReading } from './read-positions';

/** A change of a wallet's deposit, as clients show it. */
export interface HistoryEntry {
  readonly at: Date;
  readonly kind: PositionEntry['kind'];
  /** Assets; `undefined` when they are unknown, because the node lacks the state of the block. */
  readonly amount: AmountView | undefined;
  /** Base units of shares. */
  readonly shares: string | undefined;
  /** Assets of one whole share, as an exact decimal. */
  readonly sharePrice: string | undefined;
  /** Worth at the time, where a price of that day is stored. */
  readonly valueUSD: string | undefined;
  readonly txHash: string;
  readonly blockNumber: bigint;
  readonly logIndex: number;
  /** Action of this service that sent the transaction. */
  readonly actionId: string | undefined;
}

export interface PositionHistory {
  readonly data: readonly HistoryEntry[];
  readonly pagination: Pagination;
}

const LIMITS = { defaultLimit: 50, maximum: 500 };

/** @throws VALIDATION_ERROR when `page` or `limit` (1 to 500, default 50) is out of range */
export const historyBounds = (page: PageRequest): { readonly page: number; readonly limit: number } =>
  pageBounds(page, LIMITS);

/** A page of the changes of a position, the newest first. */
export async function listPositionHistory(
  deps: PositionDeps,
  {
    owner,
    reading,
    page,
  }: { readonly owner: PositionOwner; readonly reading: PositionReading; readonly page: PageRequest },
): Promise<PositionHistory> {
  const bounds = historyBounds(page);
  const { strategy, total, recent } = reading;
  const skip = (bounds.page - 1) * bounds.limit;
  const newest = [...recent].reverse().slice(skip, skip + bounds.limit);
  const stored = await listStoredEntries(
    deps.database,
    { ...owner, strategyId: strategy.row.id.toLowerCase() },
    {
      skip: Math.max(0, skip - recent.length),
      take: bounds.limit - newest.length,
      // Another request may have stored them meanwhile.
      before: recent[0]?.blockNumber,
    },
  );
  const entries = [...newest, ...stored];
  const [actions, prices] = await Promise.all([
    findActions(deps.database, owner, entries),
    findPrices(deps, strategy, entries),
  ]);
  return {
    data: entries.map((entry) =>
      entryView(strategy, entry, { actionId: actions.get(entry.txHash), price: prices(entry.at) }),
    ),
    pagination: paginationOf(bounds, total?.entries ?? 0),
  };
}

function entryView(
  { underlying, receipt }: Strategy,
  entry: PositionEntry,
  { actionId, price }: { readonly actionId: string | undefined; readonly price: UsdPrice | undefined },
): HistoryEntry {
  const { at, kind, assets, shares, sharePriceRay, txHash, blockNumber, logIndex } = entry;
  const usd = assets === undefined ? undefined : usdOf(assets, underlying, price);
  return {
    at,
    kind,
    amount: assets === undefined ? undefined : amountView(underlying, assets, usd),
    shares: shares?.toString(),
    sharePrice: sharePriceRay === undefined ? undefined : wholeSharePrice(sharePriceRay, { underlying, receipt }),
    valueUSD: usd === undefined ? undefined : formatUsd(usd),
    txHash,
    blockNumber,
    logIndex,
    actionId,
  };
}

const RAY_DECIMALS = 27;

/** Assets of one whole share, as an exact decimal. The decimals of shares and assets may differ. */
const wholeSharePrice = (priceRay: bigint, { underlying, receipt }: Pick<Strategy, 'underlying' | 'receipt'>): string =>
  formatBaseUnits(priceRay * 10n ** BigInt(receipt.decimals), RAY_DECIMALS + underlying.decimals);

/** The customer's actions that sent the transactions, by the hash. One query. */
async function findActions(
  database: Database,
  { customerId }: PositionOwner,
  entries: readonly PositionEntry[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = [...new Set(entries.map(({ txHash }) => txHash))];
  if (hashes.length === 0) return new Map();
  const steps = await database.actionStep.findMany({
    where: { txHash: { in: hashes }, action: { customerId } },
    select: { txHash: true, actionId: true },
  });
  return new Map(steps.flatMap(({ txHash, actionId }) => (txHash === null ? [] : [[txHash, actionId] as const])));
}

const DAY_SECONDS = 86_400;

/** The price of the underlying asset on the day of each entry. One query. */
async function findPrices(
  { pool }: PositionDeps,
  { underlying }: Strategy,
  entries: readonly PositionEntry[],
): Promise<(at: Date) => UsdPrice | undefined> {
  const times = entries.map(({ at }) => at.getTime());
  if (times.length === 0) return () => undefined;
  const range = {
    from: new Date(Math.min(...times) - DAY_SECONDS * 1000),
    to: new Date(Math.max(...times) + DAY_SECONDS * 1000),
    stepSeconds: DAY_SECONDS,
  };
  const [points = []] = await readHistories({ pool }, [underlying], range);
  return (at) => {
    const near = points.filter(({ asOf }) => Math.abs(asOf.getTime() - at.getTime()) <= DAY_SECONDS * 1000);
    const distance = (asOf: Date): number => Math.abs(asOf.getTime() - at.getTime());
    const [nearest] = near.toSorted((one, other) => distance(one.asOf) - distance(other.asOf));
    return nearest?.usdE24;
  };
}
