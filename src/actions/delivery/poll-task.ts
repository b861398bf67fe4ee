import { FIAT_CHAIN_ID } from '../../chains/chain';
import type { ClaimedDelivery } from './due-deliveries';
import type { Transfer } from './transfer-action';

/**
 * What there is to do for a delivery.
 *
 * - `ask`: the provider is asked where it is.
 * - `watch`: the action failed at the provider's, or before its money came: that may yet come, or come back.
 * - `giveBack`: the money came after the action had been given up: it goes back.
 * - `settling`: it arrived, and its chain decides when that is final.
 * - `asleep`: nothing, until its origin transaction is seen.
 * - `over`: nothing any more.
 */
export type Phase = 'ask' | 'watch' | 'giveBack' | 'settling' | 'asleep' | 'over';

const DAY_MS = 86_400_000;
/** How long a late refund is watched for, and one that was asked for. Money that this service holds is never left. */
const WATCHED_MS = DAY_MS;
const AWAITED_MS = 7 * DAY_MS;
/** How long after the end of an action money to or from a bank is looked for, and how long giving it back may take. */
const LATE_MS = 7 * DAY_MS;
/** Looks, after the ramp has told of something, for which the time that has passed does not count. */
const WOKEN_LOOKS = 20;

export function phaseOf(transfer: Transfer, delivery: Pick<ClaimedDelivery, 'deposit' | 'memory' | 'looks'>): Phase {
  const { status, origin, destination } = transfer;
  if (status === 'FAILED') return phaseOfFailed(transfer, delivery);
  if (status === 'SUCCESS' || status === 'REFUNDED') return 'over';
  if (destination.status === 'SUBMITTED' || destination.status === 'CONFIRMED') return 'settling';
  return origin.status === 'PENDING' && delivery.deposit === undefined ? 'asleep' : 'ask';
}

function phaseOfFailed(transfer: Transfer, delivery: Parameters<typeof phaseOf>[1]): Phase {
  if (isExpiredPayout(transfer) || isUnpaid(transfer)) return phaseOfExpired(transfer, delivery);
  return mayComeBack(transfer, delivery) ? 'watch' : 'over';
}

/** True of what the provider gave up and of deposits, for a while: nothing was taken where the origin reverted. */
function mayComeBack(transfer: Transfer, { deposit, looks }: Pick<ClaimedDelivery, 'deposit' | 'looks'>): boolean {
  const { origin, substatus, finishedAt, chainIdIn, chainIdOut } = transfer;
  const expiredDeposit = deposit !== undefined && origin.status === 'SKIPPED';
  if (!expiredDeposit && !failedAtProvider(transfer)) return false;
  const watchedMs = substatus === 'REFUND_QUEUED' ? AWAITED_MS : WATCHED_MS;
  const isWoken = looks <= WOKEN_LOOKS && (chainIdIn === FIAT_CHAIN_ID || chainIdOut === FIAT_CHAIN_ID);
  return isWoken || (finishedAt !== null && isWithin(watchedMs, finishedAt));
}

const isWithin = (milliseconds: number, since: Date): boolean => Date.now() - since.getTime() < milliseconds;

/**
 * True of a payout to a bank that was given up before anything was seen of it. What is sent all the same is looked for,
 * and goes back.
 */
export function isExpiredPayout(
  transfer: Pick<Transfer, 'status' | 'substatus' | 'chainIdOut' | 'origin' | 'destination'>,
): boolean {
  const { status, substatus, chainIdOut, origin, destination } = transfer;
  const wasGivenUp = substatus === 'EXPIRED' || substatus === 'REFUND_QUEUED' || substatus === 'REFUND_SENT';
  if (status !== 'FAILED' || chainIdOut !== FIAT_CHAIN_ID || !wasGivenUp) return false;
  return destination.status === 'SKIPPED' && origin.status !== 'FAILED';
}

/** True of a payment from a bank that had not come when its action failed, whether or not it has come since. */
const isUnpaid = ({ status, chainIdIn, destination, origin }: Transfer): boolean =>
  isLatePayment({ status, chainIdIn }) &&
  (origin.status === 'SKIPPED' || (origin.status === 'CONFIRMED' && destination.status === 'SKIPPED'));

/** True of a payment from a bank whose action has failed: what comes of it now is not what was promised. */
export const isLatePayment = ({ status, chainIdIn }: Pick<Transfer, 'status' | 'chainIdIn'>): boolean =>
  status === 'FAILED' && chainIdIn === FIAT_CHAIN_ID;

function phaseOfExpired(
  { origin, finishedAt, chainIdIn }: Transfer,
  { memory, looks }: Pick<ClaimedDelivery, 'memory' | 'looks'>,
): Phase {
  const isSeen = origin.status === 'SUBMITTED' || origin.status === 'CONFIRMED';
  const isHeld = chainIdIn === FIAT_CHAIN_ID && memory !== undefined;
  const since = isSeen ? origin.updatedAt : finishedAt;
  const isYoung = since !== null && isWithin(LATE_MS, since);
  if (!isHeld && !isYoung && looks > WOKEN_LOOKS) return 'over';
  return isSeen || isHeld ? 'giveBack' : 'watch';
}

/** True when it was the provider that failed: the destination step failed without a transaction of its own. */
export const failedAtProvider = ({ status, destination }: Pick<Transfer, 'status' | 'destination'>): boolean =>
  status === 'FAILED' && destination.status === 'FAILED' && destination.txHash === null;
