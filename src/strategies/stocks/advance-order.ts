import type { Logger } from 'pino';
import { backoffMs } from '../../async/backoff';
import { describeFailure } from '../../errors/describe-failure';
import type { Database } from '../../persistence/database';
import { finishOrderAttempt, type OrderUpdate } from './claim-orders';
import { recordCancel, recordFill, recordLost, recordOrderRefund, startRefund } from './record-outcome';
import { LASTING_FAILURES, type OrderStep, type StockOrder } from './stock-order';
import type { FillSearch, Obstacle, OrderState, StockVenue } from './stock-venue';

export interface OrderDeps {
  readonly database: Database;
  readonly venue: StockVenue;
  readonly log: Pick<Logger, 'warn'>;
  /** Interval of the polls of an order. */
  readonly pollMs: number;
}

const RETRY = { baseMs: 2000, maxMs: 300_000 };
const MAX_POLL_MS = 30_000;
/** An order book takes no order that ends sooner, in seconds. */
const MIN_VALIDITY_SECONDS = 60n;
/** Refusals that last, in a row, until the tokens of an order are returned. */
const MAX_REFUSALS = 5;
/** Attempts to return the gas in the wallet of an order that has ended. */
const MAX_SWEEPS = 20;
/** Interval of the attempts to return tokens after lasting failures. */
const LASTING_PAUSE_MS = 3_600_000;
/** How long after its end an order waits for tokens that its wallet should have. */
const EMPTY_WALLET_MS = 8 * 86_400_000;
const EMPTY_WALLET = 'The wallet of the order holds no tokens to return';
/** Interval of the checks whether the order book still has an order. */
const CHECK_POSTED_MS = 30_000;

type Work = (deps: OrderDeps, order: StockOrder, signal: AbortSignal) => Promise<unknown>;

const WORK: Readonly<Record<OrderStep, Work>> = {
  // `pollUnfunded` polls them.
  AWAITING_FUNDS: () => Promise.resolve(),
  PREPARING: prepare,
  OPEN: awaitFill,
  CANCELLING: continueCancel,
  // The request that decided the refund could not queue it.
  REFUND_DUE: ({ database }, order) => finishOrderAttempt(database, order, { step: 'REFUNDING', nextInMs: 0 }),
  REFUNDING: refund,
  SWEEPING: sweep,
  ENDED: () => Promise.resolve(),
};

/** One attempt to carry on an order. Failures postpone it, and never affect another order. */
export async function advanceOrder(deps: OrderDeps, order: StockOrder, signal: AbortSignal): Promise<void> {
  try {
    await WORK[order.step](deps, order, signal);
  } catch (error) {
    const { log, database } = deps;
    const { actionId, step } = order;
    const failures = order.failures + 1;
    log.warn({ actionId, step, failures, cause: describeFailure(error) }, 'an attempt to carry on an order failed');
    const lastFailure = 'The chain or the order book is unavailable';
    await finishOrderAttempt(database, order, { failures, lastFailure, nextInMs: backoffMs({ ...RETRY, failures }) });
  }
}

const poll = (
  { database, pollMs }: OrderDeps,
  order: StockOrder,
  update: Partial<OrderUpdate> = {},
): Promise<boolean> => finishOrderAttempt(database, order, { nextInMs: nextPollMs(order, pollMs), ...update });

/** Young orders are polled more often. */
const nextPollMs = ({ createdAt }: StockOrder, pollMs: number): number =>
  Math.min(MAX_POLL_MS, Math.max(pollMs, (Date.now() - createdAt.getTime()) / 50));

const postpone = ({ database }: OrderDeps, order: StockOrder, update: Partial<OrderUpdate>): Promise<boolean> => {
  const failures = order.failures + 1;
  return finishOrderAttempt(database, order, { failures, nextInMs: backoffMs({ ...RETRY, failures }), ...update });
};

const secondsOf = (date: Date): bigint => BigInt(Math.trunc(date.getTime() / 1000));

/** Gives the wallet what it needs, and posts the order. */
async function prepare(deps: OrderDeps, order: StockOrder, signal: AbortSignal): Promise<unknown> {
  const { venue } = deps;
  const state = await venue.readState(order);
  if (state.isUsed) return poll(deps, order, { step: 'OPEN', nextInMs: 0 });
  // The node is behind the one that saw the transfer: its balances say nothing.
  if (state.finalBlock < (order.fundedBlock ?? 0n)) return poll(deps, order);
  const isTooLate = state.latestTime + MIN_VALIDITY_SECONDS > secondsOf(order.validTo);
  if (isTooLate) return refundUnlessPosted(deps, order);
  // The token may have taken a part of the transfer.
  if (state.balance < order.sellAmount) return refundUnlessPosted(deps, order);
  const prepared = await venue.prepare(order, signal);
  if (prepared === 'waiting') return poll(deps, order);
  if (prepared !== 'ready') return postpone(deps, order, { lastFailure: prepared.obstacle });
  return sign(deps, order, signal);
}

/** An order that was signed may be in the order book, and be filled until it ends. */
const refundUnlessPosted = (deps: OrderDeps, order: StockOrder): Promise<unknown> =>
  order.orderUid === undefined ? startRefund(deps, order) : poll(deps, order, { step: 'OPEN', nextInMs: 0 });

/** The id is stored before the order is posted: a cancel by another replica then treats it as one that may be in the order book. */
async function sign(deps: OrderDeps, order: StockOrder, signal: AbortSignal): Promise<unknown> {
  const { venue, database } = deps;
  const orderUid = venue.uidOf(order);
  const fromBlock = order.fromBlock ?? (await venue.blockNumber(order.chainId));
  const isStored = await finishOrderAttempt(database, order, { orderUid, fromBlock, nextInMs: 0, keepLease: true });
  return isStored ? post(deps, { ...order, orderUid, fromBlock }, signal) : undefined;
}

const POSTED = { isPosted: true, error: null, providerError: null, refusals: 0 } as const;

async function post(deps: OrderDeps, order: StockOrder, signal: AbortSignal): Promise<unknown> {
  const posted = await deps.venue.post(order, signal);
  if ('quoteId' in posted) {
    const posting = { ...POSTED, quoteId: posted.quoteId };
    return poll(deps, order, { step: 'OPEN', posting });
  }
  const { code, message, mayRetry } = posted;
  const refusals = mayRetry ? 0 : order.refusals + 1;
  const posting = { isPosted: false, error: message.slice(0, 500), providerError: code ?? null, refusals };
  // Its signature was sent, and a solver that has it may fill the order: it is made invalid before the tokens go back.
  if (refusals >= MAX_REFUSALS)
    return poll(deps, order, { step: 'CANCELLING', cancelCause: 'REFUSAL', posting, nextInMs: 0 });
  return postpone(deps, order, { posting, lastFailure: message.slice(0, 500) });
}

async function awaitFill(deps: OrderDeps, order: StockOrder, signal: AbortSignal): Promise<unknown> {
  const { venue } = deps;
  const state = await venue.readState(order);
  if (state.isUsedFinally) {
    const found = await venue.findFill(order, signal);
    if (found.fill !== undefined) return recordFill(deps, order, found.fill);
    // The next attempt continues there. At the end the node may lack the newest logs: it searches the last blocks again.
    const hasMore = found.next <= state.finalBlock && hasAdvanced(order, found.next);
    return hasMore ? poll(deps, order, { fromBlock: found.next, nextInMs: 0 }) : postpone(deps, order, {});
  }
  if (isDead(order, state)) return startRefund(deps, order);
  return poll(deps, order, { fromBlock: state.finalBlock, ...(await repost(deps, { order, state }, signal)) });
}

/** False when a search has read no block: the node is behind the one that returned the newest block. */
export const hasAdvanced = ({ fromBlock = 0n }: Pick<StockOrder, 'fromBlock'>, next: bigint): boolean =>
  next > fromBlock;

/** No block that is still to come may fill the order, and none before has. */
const isDead = ({ validTo }: StockOrder, { finalTime, isUsed }: OrderState): boolean =>
  finalTime > secondsOf(validTo) && !isUsed;

/** An order book that has lost an order gets it again. */
async function repost(
  { venue }: OrderDeps,
  { order, state }: { readonly order: StockOrder; readonly state: OrderState },
  signal: AbortSignal,
): Promise<Partial<OrderUpdate>> {
  const { isUsed, latestTime } = state;
  const { postedAt, lastPostAttemptAt, validTo } = order;
  const checkedAt = lastPostAttemptAt ?? postedAt;
  const isDue = checkedAt === undefined || Date.now() - checkedAt.getTime() > CHECK_POSTED_MS;
  if (isUsed || !isDue || latestTime + MIN_VALIDITY_SECONDS > secondsOf(validTo)) return {};
  const isPosted = await venue.isPosted(order, signal);
  if (isPosted === undefined) return {};
  if (isPosted) return { posting: POSTED };
  return { step: 'PREPARING', nextInMs: 0 };
}

const LAGGING = 'The node of the chain is behind';

/** A cancel whose request has ended before the order was invalid. */
async function continueCancel(deps: OrderDeps, order: StockOrder): Promise<unknown> {
  const outcome = await settleCancel(deps, order);
  if (typeof outcome === 'object' && 'next' in outcome) {
    if (!hasAdvanced(order, outcome.next)) return postpone(deps, order, { lastFailure: LAGGING });
    return poll(deps, order, { fromBlock: outcome.next, nextInMs: 0 });
  }
  if (typeof outcome === 'object') return postpone(deps, order, { lastFailure: outcome.obstacle });
  return outcome === 'waiting' ? poll(deps, order, { nextInMs: deps.pollMs }) : undefined;
}

/**
 * Makes an order invalid and decides: `cancelled` when the action is REFUNDED, `filled` when a settlement was first, `lost` when
 * the lease has ended, `next` while settlements are searched.
 */
export async function settleCancel(
  deps: Pick<OrderDeps, 'database' | 'venue'>,
  order: StockOrder,
  search: FillSearch = {},
): Promise<'cancelled' | 'filled' | 'waiting' | 'lost' | { readonly next: bigint } | Obstacle> {
  const outcome = await invalidate(deps, order, search);
  if (outcome === 'waiting' || typeof outcome === 'object') return outcome;
  if (outcome === 'invalid') return (await recordCancel(deps, order)) ? 'cancelled' : 'lost';
  return (await finishOrderAttempt(deps.database, order, { step: 'OPEN', nextInMs: 0 })) ? 'filled' : 'lost';
}

async function invalidate(
  { venue }: Pick<OrderDeps, 'venue'>,
  order: StockOrder,
  search: FillSearch,
): ReturnType<StockVenue['invalidate']> {
  // Without an id nothing was signed, and no other replica can sign while this one has the lease.
  if (order.orderUid === undefined) return 'invalid';
  // An order that has expired needs no transaction, which the wallet may be unable to pay for.
  const mayBeDead = Date.now() > order.validTo.getTime();
  if (mayBeDead && isDead(order, await venue.readState(order))) return 'invalid';
  return venue.invalidate(order, search);
}

async function refund(deps: OrderDeps, order: StockOrder): Promise<unknown> {
  const refunded = await deps.venue.refund(order);
  if (refunded.kind === 'waiting') return poll(deps, order);
  if (refunded.kind === 'blocked') return postpone(deps, order, { lastFailure: refunded.obstacle });
  if (refunded.kind === 'sent') return poll(deps, order, { refundTxHash: refunded.txHash });
  if (refunded.kind === 'empty') return awaitTokens(deps, order);
  return recordOrderRefund(deps, order, refunded);
}

/** Without a transaction that has returned the tokens, nothing shows that their owner has them. */
async function awaitTokens(deps: OrderDeps, order: StockOrder): Promise<unknown> {
  const since = Math.max(order.validTo.getTime(), order.createdAt.getTime());
  if (Date.now() - since < EMPTY_WALLET_MS) return postpone(deps, order, { lastFailure: EMPTY_WALLET });
  deps.log.warn({ actionId: order.actionId }, 'an order has ended whose wallet had no tokens to return');
  return recordLost(deps, order);
}

/** Gas that cannot be returned after many attempts stays in the wallet; tokens that are worth their return never do. */
async function sweep(deps: OrderDeps, order: StockOrder): Promise<unknown> {
  const { actionId } = order;
  const swept = await deps.venue.sweep(order);
  if (swept !== 'done') {
    const { hasTokens, obstacle: lastFailure = null } = swept;
    if (hasTokens && lastFailure === null) return poll(deps, order); // its transaction is pending
    const coinSweeps = hasTokens ? order.coinSweeps : order.coinSweeps + 1;
    const pause = order.failures + 1 < LASTING_FAILURES ? {} : { nextInMs: LASTING_PAUSE_MS };
    if (coinSweeps < MAX_SWEEPS) return postpone(deps, order, { lastFailure, coinSweeps, ...pause });
    deps.log.warn({ actionId }, 'the wallet of an order has ended with gas of the service');
  }
  return finishOrderAttempt(deps.database, order, { step: 'ENDED', nextInMs: 0 });
}
