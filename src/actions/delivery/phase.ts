import { FIAT_CHAIN_ID } from '../../chains/chain';
import type { Transfer } from './transfer';

/**
 * What there is to do for a delivery.
 *
 * - `ask`: the provider is asked where it is.
 * - `watch`: the action failed at the provider's, or before a late deposit came: the money may yet come back.
 * - `giveBack`: the money came after the action had been given up: it goes back.
 * - `settling`: it arrived, and its chain decides when that is final.
 * - `asleep`: nothing, until its origin transaction is seen.
 * - `over`: nothing any more.
 */
export type Phase = 'ask' | 'watch' | 'giveBack' | 'settling' | 'asleep' | 'over';

const DAY_MS = 86_400_000;
/** How long a late refund is watched for, and one that was asked for. */
const WATCHED_MS = DAY_MS;
const AWAITED_MS = 7 * DAY_MS;
/** How long after the end of an action money to or from a bank is looked for, and how long giving it back may take. */
const LATE_MS = 7 * DAY_MS;

export function phaseOf(transfer: Transfer, hasDeposit: boolean): Phase {
  const { status, origin, destination } = transfer;
  if (isExpiredPayout(transfer)) return phaseOfExpired(transfer);
  if (status === 'FAILED') return mayComeBack(transfer, hasDeposit) ? 'watch' : 'over';
  if (status === 'SUCCESS' || status === 'REFUNDED') return 'over';
  if (destination.status === 'SUBMITTED' || destination.status === 'CONFIRMED') return 'settling';
  return origin.status === 'PENDING' && !hasDeposit ? 'asleep' : 'ask';
}

/** True of what the provider gave up and of deposits, for a while: nothing was taken where the origin reverted. */
function mayComeBack(transfer: Transfer, hasDeposit: boolean): boolean {
  const { origin, substatus, finishedAt, chainIdIn } = transfer;
  const expiredDeposit = hasDeposit && origin.status === 'SKIPPED';
  if (!expiredDeposit && !failedAtProvider(transfer)) return false;
  if (expiredDeposit && chainIdIn === FIAT_CHAIN_ID) return finishedAt !== null && isWithin(LATE_MS, finishedAt);
  const watchedMs = substatus === 'REFUND_QUEUED' ? AWAITED_MS : WATCHED_MS;
  return finishedAt !== null && isWithin(watchedMs, finishedAt);
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

function phaseOfExpired({ origin, finishedAt }: Transfer): Phase {
  const isSeen = origin.status === 'SUBMITTED' || origin.status === 'CONFIRMED';
  const since = isSeen ? origin.updatedAt : finishedAt;
  if (since === null || !isWithin(LATE_MS, since)) return 'over';
  return isSeen ? 'giveBack' : 'watch';
}

/** True when it was the provider that failed: the destination step failed without a transaction of its own. */
export const failedAtProvider = ({ status, destination }: Pick<Transfer, 'status' | 'destination'>): boolean =>
  status === 'FAILED' && destination.status === 'FAILED' && destination.txHash === null;
