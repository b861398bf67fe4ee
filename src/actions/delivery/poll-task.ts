import { FIAT_CHAIN_ID } from '../../chains/chain';
import type { DeliveryPhase } from '../../persistence/client/enums';
import type { ClaimedDelivery } from './claim-deliveries';
import type { TransferAction } from './transfer-action';

/**
 * What a poll of a delivery has to do.
 *
 * - `follow`: request the progress of the transfer.
 * - `watch`: the action failed at the provider, or before its payment arrived. Detect a late payment or refund.
 * - `resume`: the action failed although its transfer was sent. It goes on, to follow the transfer.
 * - `returnPayment`: the payment arrived after the action had failed. Have it returned.
 * - `awaitFinality`: the transfer arrived; the tracker of the destination chain decides when that is final. A transfer that
 *   another step of its action continues has ended then.
 * - `awaitOrigin`: the origin transaction was not seen yet.
 * - `end`: the delivery has ended.
 */
export type PollTask = 'follow' | 'watch' | 'resume' | 'returnPayment' | 'awaitFinality' | 'awaitOrigin' | 'end';

const DAY_MS = 86_400_000;
/** How long a failed transfer is watched for a refund, by default and after a refund was requested. */
const WATCH_MS = DAY_MS;
const REQUESTED_REFUND_WATCH_MS = 7 * DAY_MS;
/**
 * How long a late bank payment or payout is watched for after the action has failed, and how long its return may take.
 * A payment that the service itself holds is watched without a limit.
 */
const LATE_PAYMENT_WATCH_MS = 7 * DAY_MS;
/** Polls after a callback of a ramp during which these limits do not apply. */
const POLLS_AFTER_CALLBACK = 20;

type PolledDelivery = Pick<ClaimedDelivery, 'deposit' | 'checkpoint' | 'pollCount'>;

export function pollTaskOf(transfer: TransferAction, delivery: PolledDelivery): PollTask {
  const { status, origin, destination, endsAction } = transfer;
  if (status === 'FAILED') return taskAfterFailure(transfer, delivery);
  if (status === 'SUCCESS' || status === 'REFUNDED') return 'end';
  if (destination.status === 'CONFIRMED' && !endsAction) return 'end';
  if (destination.status === 'SUBMITTED' || destination.status === 'CONFIRMED') return 'awaitFinality';
  return origin.status === 'PENDING' && delivery.deposit === undefined ? 'awaitOrigin' : 'follow';
}

/** Phase that is stored after a poll with this task. */
export function phaseAfter(task: PollTask): DeliveryPhase {
  if (task === 'end') return 'ENDED';
  return task === 'awaitOrigin' ? 'AWAITING_ORIGIN' : 'ACTIVE';
}

function taskAfterFailure(transfer: TransferAction, delivery: PolledDelivery): PollTask {
  if (isAbandoned(transfer)) return 'resume';
  if (isExpiredPayout(transfer) || isUnpaid(transfer)) return taskAfterExpiry(transfer, delivery);
  return mayBeRefunded(transfer, delivery) ? 'watch' : 'end';
}

/** True when an action failed for another reason than its transfer between chains, which was sent all the same. */
const isAbandoned = ({ isPart, origin, destination }: TransferAction): boolean =>
  isPart &&
  destination.status === 'SKIPPED' &&
  (origin.status === 'CONFIRMED' || (origin.status === 'SUBMITTED' && !origin.reverted));

/** True for a while after the provider failed or a deposit expired. An origin that reverted moved no tokens. */
function mayBeRefunded(transfer: TransferAction, { deposit, pollCount }: PolledDelivery): boolean {
  const { origin, substatus, finishedAt, chainIdIn, chainIdOut } = transfer;
  const expiredDeposit = deposit !== undefined && origin.status === 'SKIPPED';
  if (!expiredDeposit && !failedAtProvider(transfer)) return false;
  const watchMs = substatus === 'REFUND_QUEUED' ? REQUESTED_REFUND_WATCH_MS : WATCH_MS;
  const hasRecentCallback =
    pollCount <= POLLS_AFTER_CALLBACK && (chainIdIn === FIAT_CHAIN_ID || chainIdOut === FIAT_CHAIN_ID);
  return hasRecentCallback || (finishedAt !== null && isWithin(watchMs, finishedAt));
}

const isWithin = (milliseconds: number, since: Date): boolean => Date.now() - since.getTime() < milliseconds;

/**
 * True for a payout to a bank that expired before its origin transaction was seen. Tokens that are sent later are
 * detected and returned.
 */
export function isExpiredPayout(
  transfer: Pick<TransferAction, 'status' | 'substatus' | 'chainIdOut' | 'origin' | 'destination'>,
): boolean {
  const { status, substatus, chainIdOut, origin, destination } = transfer;
  const hasExpired = substatus === 'EXPIRED' || substatus === 'REFUND_QUEUED' || substatus === 'REFUND_SENT';
  if (status !== 'FAILED' || chainIdOut !== FIAT_CHAIN_ID || !hasExpired) return false;
  return destination.status === 'SKIPPED' && origin.status !== 'FAILED';
}

/** True for a bank payment that had not arrived when its action failed, whether or not it has arrived since. */
const isUnpaid = ({ status, chainIdIn, destination, origin }: TransferAction): boolean =>
  isLatePayment({ status, chainIdIn }) &&
  (origin.status === 'SKIPPED' || (origin.status === 'CONFIRMED' && destination.status === 'SKIPPED'));

/** True for a bank payment whose action has failed: its delivery no longer matches the quote. */
export const isLatePayment = ({ status, chainIdIn }: Pick<TransferAction, 'status' | 'chainIdIn'>): boolean =>
  status === 'FAILED' && chainIdIn === FIAT_CHAIN_ID;

function taskAfterExpiry(
  { origin, finishedAt, chainIdIn }: TransferAction,
  { checkpoint, pollCount }: PolledDelivery,
): PollTask {
  const isSeen = origin.status === 'SUBMITTED' || origin.status === 'CONFIRMED';
  const isHeld = chainIdIn === FIAT_CHAIN_ID && checkpoint !== undefined;
  const since = isSeen ? origin.updatedAt : finishedAt;
  const isRecent = since !== null && isWithin(LATE_PAYMENT_WATCH_MS, since);
  if (!isHeld && !isRecent && pollCount > POLLS_AFTER_CALLBACK) return 'end';
  return isSeen || isHeld ? 'returnPayment' : 'watch';
}

/** True when the provider failed: the destination step failed without a transaction of its own. */
export const failedAtProvider = ({ status, destination }: Pick<TransferAction, 'status' | 'destination'>): boolean =>
  status === 'FAILED' && destination.status === 'FAILED' && destination.txHash === null;
