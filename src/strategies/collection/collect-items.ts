import { anySignal } from '../../async/any-signal';
import { describeFailure } from '../../errors/describe-failure';
import { slugsOf } from '../catalog/merge-rows';
import type { FeeReader } from '../fees/customer-fees';
import { readFeePositions } from '../fees/fee-positions';
import { groupBy } from '../positions/group-by';
import type { PositionDeps } from '../positions/position-deps';
import { feeOnWithdrawal } from '../positions/position-state';
import { readPosition } from '../positions/read-positions';
import type { Strategy } from '../strategy';
import { profitBpsOf } from '../strategy-fees';
import { type CollectionDeps, placeOf } from './advance-writes';
import { isSameAddress } from '../../chains/addresses';
import {
  type ClaimedItem,
  claimItems,
  confirmItem,
  type ItemUpdate,
  PAUSE_SECONDS,
  updateItem,
} from './collection-items';
import { sharesToCollect } from './collection-registry';
import { entryKey } from './registry-contract';
import { lockCollection } from './request-write';

export interface CollectDeps extends CollectionDeps {
  readonly positions: PositionDeps;
  readonly readFees: FeeReader;
}

/** Wallets of one batch. */
const BATCH = 20;
const ATTEMPT_MS = 20_000;
/** Attempts of an item that was not sent: about three days with the pauses. The profit counts in the next run. */
const MAX_ATTEMPTS = 80;
const LATER_SECONDS = 3600;

/** Collects from due wallets in batches until the time is over. One that fails leaves the others alone. Returns their number. */
export async function collectItems(deps: CollectDeps, until: number, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (Date.now() < until && !signal.aborted) {
    const claimed = await claimItems(deps.database, BATCH);
    if (claimed.length === 0) break;
    const batches = groupBy(claimed, ({ state, runId }) => (state === 'PLANNED' ? runId : 'sent'));
    await Promise.all(
      [...batches].map(([key, items]) => (key === 'sent' ? eachAlone(deps, items, signal) : reserve(deps, items))),
    );
    count += claimed.length;
  }
  return count;
}

const store = (deps: CollectDeps, item: ClaimedItem, update: ItemUpdate): Promise<boolean> =>
  deps.database.$transaction((tx) => updateItem(tx, item, update));

/** Reads what may be collected from the wallets of a run in one multicall. */
async function reserve(deps: CollectDeps, items: readonly ClaimedItem[]): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  try {
    await deps.strategies.ready();
    const place = placeOf(deps, first);
    const collectables = await deps.registry.readCollectables(
      place,
      items.map(({ wallet }) => wallet),
    );
    for (const [index, item] of items.entries()) {
      const hasNone = (collectables[index] ?? 0n) === 0n;
      await store(deps, item, hasNone ? skipped('Nothing to collect') : { state: 'RESERVED', reason: null });
    }
  } catch (error) {
    for (const item of items) await postpone(deps, item, error);
  }
}

const skipped = (reason: string): ItemUpdate => ({ state: 'SKIPPED', reason });

async function eachAlone(deps: CollectDeps, items: readonly ClaimedItem[], outer: AbortSignal): Promise<void> {
  // One after another: the transactions of one wallet wait for each other in any case.
  for (const item of items) {
    const signal = anySignal(outer, AbortSignal.timeout(ATTEMPT_MS));
    try {
      if (item.state === 'RESERVED') await dispatch(deps, item, signal);
      else await follow(deps, item, signal);
    } catch (error) {
      await postpone(deps, item, error);
    }
  }
}

/** A transaction may have been sent: it is looked up before anything else is. */
async function postpone(deps: CollectDeps, item: ClaimedItem, error: unknown): Promise<void> {
  const { customerId, strategyId, wallet, attempts } = item;
  deps.log.warn({ customerId, strategyId, wallet, cause: describeFailure(error) }, 'a fee could not be collected yet');
  const reason = 'The chain or the wallet of the service is unavailable';
  const current = await deps.database.collectionItem.findUnique({ where: { id: item.id, customerId } });
  const maybeSent = current?.state === 'DISPATCHED' || current?.state === 'UNKNOWN';
  if (maybeSent) {
    await store(deps, { ...item, state: current.state as 'DISPATCHED' }, { state: 'UNKNOWN', reason });
    return;
  }
  const isOver = attempts >= MAX_ATTEMPTS;
  await store(deps, item, isOver ? { state: 'FAILED', reason } : { state: 'PLANNED', reason, nextInSeconds: 600 });
}

/** Sends the collection, unless a withdrawal of the wallet that was built without it is open. */
async function dispatch(deps: CollectDeps, item: ClaimedItem, signal: AbortSignal): Promise<void> {
  const strategy = deps.strategies.get(item.strategyId);
  if (await hasOpenAction(deps, item, strategy)) return later(deps, item, 'The wallet has an open action');
  const shares = await sharesOf(deps, item, { strategy, signal });
  if (typeof shares === 'string') return later(deps, item, shares);
  if (shares === 0n) {
    await store(deps, item, skipped('Nothing to collect'));
    return;
  }
  const isDispatched = await deps.database.$transaction(async (tx) => {
    const row = await lockCollection(tx, item);
    if (row?.state !== 'LIVE') return false;
    return updateItem(tx, item, { state: 'DISPATCHED', sharesPlanned: shares, reason: null });
  });
  if (!isDispatched) return later(deps, item, 'The collection is not live');
  await follow(deps, { ...item, state: 'DISPATCHED' }, signal);
}

/** Withdrawals that are built meanwhile are charged again. After some days the profit counts in the next run. */
async function later(deps: CollectDeps, item: ClaimedItem, reason: string): Promise<void> {
  const isOver = item.attempts >= MAX_ATTEMPTS;
  await store(deps, item, isOver ? skipped(reason) : { state: 'PLANNED', reason, nextInSeconds: LATER_SECONDS });
}

/** Actions of the wallet in the strategy whose transactions may still be executed. */
async function hasOpenAction(
  { database }: CollectDeps,
  { customerId, wallet }: ClaimedItem,
  { row }: Strategy,
): Promise<boolean> {
  const [found] = await database.$queryRaw<[{ found: boolean }]>`
    SELECT EXISTS (
      SELECT 1 FROM "Action"
       WHERE "customerId" = ${customerId}::uuid AND status IN ('INITIAL', 'PENDING')
         AND lower("strategyId") = ANY(${[...slugsOf(row)]}) AND "originAddress" = ${wallet}) AS found`;
  return found.found;
}

/** No more than a withdrawal of everything would cost in fees on profit. A text says why that is unknown. */
async function sharesOf(
  deps: CollectDeps,
  item: ClaimedItem,
  { strategy, signal }: { readonly strategy: Strategy; readonly signal: AbortSignal },
): Promise<bigint | string> {
  const { customerId, wallet } = item;
  const [fees, [collectable = 0n]] = await Promise.all([
    deps.readFees(customerId),
    deps.registry.readCollectables(placeOf(deps, item), [wallet]),
  ]);
  if (collectable === 0n) return 0n;
  const owner = { customerId, wallet };
  const reading = await readPosition(deps.positions, { owner, strategy, signal });
  const readings = [reading];
  const [state] = await readFeePositions(deps.positions, { owner, readings, fees, isCollecting: true });
  if (state === undefined) return 'The history of the position is not complete';
  const { value } = reading.holding;
  const { shares } = state;
  const bps = profitBpsOf(fees.of(strategy));
  const fee = feeOnWithdrawal({ position: { state, value }, assets: value, shares, bps });
  return sharesToCollect(collectable, { shares, value, fee });
}

/** Sends a dispatched collection once, and follows its transaction until it is final. */
async function follow(deps: CollectDeps, item: ClaimedItem, signal: AbortSignal): Promise<void> {
  const place = placeOf(deps, item);
  const { customerId, wallet, period: periodId } = item;
  const row = await deps.database.collectionItem.findUniqueOrThrow({ where: { id: item.id, customerId } });
  const shares = BigInt(row.sharesPlanned?.toFixed() ?? '0');
  const sent = { wallet, periodId, shares };
  const sending = await deps.registry.sendCollection(place, { id: item.id, sent, signal });
  if (sending === 'refused') {
    await store(deps, item, { state: 'FAILED', reason: 'The registry refused the collection' });
    return;
  }
  // Nothing was sent before: the next attempt computes the shares anew.
  if (typeof sending === 'string') return later(deps, item, `Nothing was sent: ${sending}`);
  const { txHash } = sending;
  const mined = await deps.registry.readTransaction(place, txHash);
  const key = entryKey(customerId, item.strategyId);
  const event =
    mined.kind === 'executed'
      ? mined.collected.find(
          (each) => each.key === key && each.periodId === periodId && isSameAddress(each.wallet, wallet),
        )
      : undefined;
  if (mined.kind === 'executed' && mined.isFinal && event !== undefined) {
    const { blockNumber } = mined;
    await deps.database.$transaction(async (tx) => {
      await tx.collectionItem.updateMany({ where: { id: item.id, customerId }, data: { txHash } });
      await confirmItem(tx, item, { event, blockNumber });
    });
    return;
  }
  await store(deps, item, { state: 'DISPATCHED', txHash, reason: null, nextInSeconds: PAUSE_SECONDS / 2 });
}
