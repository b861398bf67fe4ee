import { anySignal } from '../../async/any-signal';
import { isSameAddress } from '../../chains/addresses';
import { describeFailure } from '../../errors/describe-failure';
import type { RecurringCollection } from '../../persistence/client/client';
import { slugsOf } from '../catalog/merge-rows';
import { groupBy } from '../positions/group-by';
import type { Strategy } from '../strategy';
import { profitBpsOf, type StrategyFees } from '../strategy-fees';
import { registryPlace } from './advance-registry-writes';
import {
  type ClaimedCollectionItem,
  claimItems,
  confirmItem,
  type ItemUpdate,
  CLAIM_SECONDS,
  renewClaim,
  updateItem,
} from './collection-items';
import type { MinedState } from './collection-registry';
import { type DueSharesDeps, NOTHING, readDueShares } from './due-shares';
import { type CollectedEvent, entryKey } from './registry-contract';
import { lockCollection } from './request-registry-write';

export type CollectDeps = DueSharesDeps;

/** Wallets of one batch. */
const BATCH = 20;
/** Shorter than the claim of an item. */
const ATTEMPT_MS = 20_000;
/** Attempts of an item that was not sent: about three days with the pauses. The profit counts in the next run. */
const MAX_ATTEMPTS = 80;
const LATER_SECONDS = 3600;
const UNAVAILABLE_SECONDS = 600;

interface Limits {
  /** Unix time in milliseconds after which nothing further is begun. */
  readonly until: number;
  readonly signal: AbortSignal;
}

/** Collects from due wallets in batches until the time is over. One that fails leaves the others alone. Returns their number. */
export async function collectItems(deps: CollectDeps, until: number, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (Date.now() < until && !signal.aborted) {
    const claimed = await claimItems(deps, BATCH);
    if (claimed.length === 0) break;
    const planned = groupBy(
      claimed.filter(({ state }) => state === 'PLANNED'),
      ({ runId }) => runId,
    );
    const others = groupBy(
      claimed.filter(({ state }) => state !== 'PLANNED'),
      ({ chainId }) => chainId,
    );
    await Promise.all([
      ...[...planned.values()].map((items) => reserve(deps, items)),
      ...[...others.values()].map((items) => processInSequence(deps, items, { until, signal })),
    ]);
    count += claimed.length;
  }
  return count;
}

const store = (deps: CollectDeps, item: ClaimedCollectionItem, update: ItemUpdate): Promise<boolean> =>
  deps.database.$transaction((tx) => updateItem(tx, item, update));

/** Reads what may be collected from the wallets of a run in one multicall. */
async function reserve(deps: CollectDeps, items: readonly ClaimedCollectionItem[]): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  try {
    const place = registryPlace(deps, first);
    const collectables = await deps.registry.readCollectables(
      place,
      items.map(({ wallet }) => wallet),
    );
    for (const [index, item] of items.entries()) {
      const hasNone = (collectables[index] ?? 0n) === 0n;
      await store(deps, item, hasNone ? skipped(NOTHING) : RESERVED);
    }
  } catch (error) {
    for (const item of items) await handleFailure(deps, item, error);
  }
}

/** Longer than a request may take: at its end, the withdrawals that were built before the reservation have been stored. */
const RESERVED_SECONDS = 60;
const RESERVED: ItemUpdate = { state: 'RESERVED', reason: null, nextInSeconds: RESERVED_SECONDS };
const skipped = (reason: string): ItemUpdate => ({ state: 'SKIPPED', reason });

/** Items of one chain, one after another: transactions of the service wallet wait for each other in any case. */
async function processInSequence(
  deps: CollectDeps,
  items: readonly ClaimedCollectionItem[],
  { until, signal }: Limits,
): Promise<void> {
  for (const item of items) {
    // What is not begun is due again when its claim ends.
    if (Date.now() >= until || signal.aborted) return;
    if (!(await renewClaim(deps, item))) continue;
    const limit = anySignal(signal, AbortSignal.timeout(ATTEMPT_MS));
    try {
      if (item.state === 'RESERVED') await dispatch(deps, item, limit);
      else await follow(deps, item, limit);
    } catch (error) {
      await handleFailure(deps, item, error);
    }
  }
}

/** A transaction may have been sent: it is looked up before anything else is. */
async function handleFailure(deps: CollectDeps, item: ClaimedCollectionItem, error: unknown): Promise<void> {
  const { id, customerId, strategyId, wallet } = item;
  deps.log.warn({ customerId, strategyId, wallet, cause: describeFailure(error) }, 'a fee could not be collected yet');
  const reason = 'The chain or the wallet of the service is unavailable';
  const current = await deps.database.collectionItem.findUnique({ where: { id, customerId } });
  if (current?.state === 'DISPATCHED' || current?.state === 'UNKNOWN') {
    await store(deps, { ...item, state: current.state }, { state: 'UNKNOWN', reason });
    return;
  }
  const retry: ItemUpdate = { state: 'PLANNED', reason, nextInSeconds: UNAVAILABLE_SECONDS };
  await store(deps, item, isOver(item) ? { state: 'FAILED', reason } : retry);
}

/** True when an unsent item is given up: the next run collects its profit. */
const isOver = ({ attempts, isNextDue }: ClaimedCollectionItem): boolean => isNextDue || attempts >= MAX_ATTEMPTS;

/** Sends the collection, unless a withdrawal of the wallet that was built without it is open. */
async function dispatch(deps: CollectDeps, item: ClaimedCollectionItem, signal: AbortSignal): Promise<void> {
  const strategy = deps.strategies.get(item.strategyId);
  if (await hasOpenAction(deps, item, strategy)) return postponeItem(deps, item, 'The wallet has an open action');
  const due = await readDueShares(deps, item, { strategy, signal });
  if (due.kind === 'later') return postponeItem(deps, item, due.reason);
  if (due.kind === 'skip') {
    await store(deps, item, skipped(due.reason));
    return;
  }
  const { shares, fees } = due;
  const problem = await deps.database.$transaction(async (tx) => {
    const row = await lockCollection(tx, item);
    if (row?.state !== 'LIVE') return 'The collection is not live';
    if (!hasFees(row, fees)) return 'The fees on chain are being changed';
    const planned = { shares, bps: profitBpsOf(fees) };
    const isStored = await updateItem(tx, item, { state: 'DISPATCHED', planned, reason: null });
    return isStored ? undefined : 'Another worker has the item';
  });
  if (problem !== undefined) return postponeItem(deps, item, problem);
  await follow(deps, { ...item, state: 'DISPATCHED' }, signal);
}

/** The registry splits the shares by the fees of its entry: with other fees, recipients would get wrong parts. */
const hasFees = (row: RecurringCollection, { performanceBps, markupBps }: StrategyFees): boolean =>
  row.performanceBps === performanceBps && row.markupBps === markupBps;

/** Releases the reservation, and retries later or gives the item up. Withdrawals pay their fees on profit as usual again. */
async function postponeItem(deps: CollectDeps, item: ClaimedCollectionItem, reason: string): Promise<void> {
  const retry: ItemUpdate = { state: 'PLANNED', reason, nextInSeconds: LATER_SECONDS };
  await store(deps, item, isOver(item) ? skipped(reason) : retry);
}

/** Actions of the wallet in the strategy whose transactions may still be executed. */
async function hasOpenAction(
  { database }: CollectDeps,
  { customerId, wallet }: ClaimedCollectionItem,
  { row }: Strategy,
): Promise<boolean> {
  const [found] = await database.$queryRaw<[{ found: boolean }]>`
    SELECT EXISTS (
      SELECT 1 FROM "Action"
       WHERE "customerId" = ${customerId}::uuid AND status IN ('INITIAL', 'PENDING')
         AND lower("strategyId") = ANY(${[...slugsOf(row)]}) AND "originAddress" = ${wallet}) AS found`;
  return found.found;
}

/** Sends a dispatched collection once, and follows its transaction until it is final. */
async function follow(deps: CollectDeps, item: ClaimedCollectionItem, signal: AbortSignal): Promise<void> {
  const place = registryPlace(deps, item);
  const { id, customerId, wallet, period: periodId } = item;
  const row = await deps.database.collectionItem.findUniqueOrThrow({ where: { id, customerId } });
  const sent = { wallet, periodId, shares: BigInt(row.sharesPlanned?.toFixed() ?? '0') };
  const sending = await deps.registry.sendCollection(place, { id, sent, signal });
  if (sending === 'refused') return refuse(deps, item);
  // Nothing was sent before: the next attempt computes the shares anew.
  if (typeof sending === 'string') return postponeItem(deps, item, `Nothing was sent: ${sending}`);
  const { txHash } = sending;
  const mined = await deps.registry.readTransaction(place, txHash);
  const event = collectedBy(mined, item);
  if (mined.kind === 'executed' && mined.isFinal && event !== undefined) {
    const { blockNumber } = mined;
    await deps.database.$transaction((tx) => confirmItem(tx, item, { event, blockNumber, txHash }));
    return;
  }
  await store(deps, item, { state: 'DISPATCHED', txHash, reason: null, nextInSeconds: CLAIM_SECONDS / 2 });
}

const collectedBy = (mined: MinedState, item: ClaimedCollectionItem): CollectedEvent | undefined =>
  mined.kind !== 'executed'
    ? undefined
    : mined.collected.find(
        ({ key, periodId, wallet }) =>
          key === entryKey(item.customerId, item.strategyId) &&
          periodId === item.period &&
          isSameAddress(wallet, item.wallet),
      );

/**
 * A collection that would revert, or has reverted finally. When the registry has collected the period nevertheless, its
 * transaction is missing on the node: a withdrawal must not charge the profit again.
 */
async function refuse(deps: CollectDeps, item: ClaimedCollectionItem): Promise<void> {
  const { customerId, strategyId, wallet, period } = item;
  const lastPeriod = await deps.registry.readLastPeriod(registryPlace(deps, item), wallet);
  if (lastPeriod < period) {
    await store(deps, item, { state: 'FAILED', reason: 'The registry refused the collection' });
    return;
  }
  deps.log.warn({ customerId, strategyId, wallet, period: String(period) }, 'a collection has no transaction');
  const reason = 'The registry has collected, and the chain does not show the transaction';
  await store(deps, item, { state: 'UNKNOWN', reason, nextInSeconds: LATER_SECONDS });
}
