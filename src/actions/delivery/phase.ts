import type { Transfer } from './transfer';

/**
 * What there is to do for a delivery.
 *
 * - `ask`: the provider is asked where it is.
 * - `watch`: the action failed at the provider's, or before a late deposit came: the money may yet come back.
 * - `settling`: it arrived, and its chain decides when that is final.
 * - `asleep`: nothing, until its origin transaction is seen.
 * - `over`: nothing any more.
 */
export type Phase = 'ask' | 'watch' | 'settling' | 'asleep' | 'over';

const DAY_MS = 86_400_000;
/** How long a late refund is watched for, and one that was asked for. */
const WATCHED_MS = DAY_MS;
const AWAITED_MS = 7 * DAY_MS;

export function phaseOf(transfer: Transfer, hasDeposit: boolean): Phase {
  const { status, origin, destination } = transfer;
  if (status === 'FAILED') return mayComeBack(transfer, hasDeposit) ? 'watch' : 'over';
  if (status === 'SUCCESS' || status === 'REFUNDED') return 'over';
  if (destination.status === 'SUBMITTED' || destination.status === 'CONFIRMED') return 'settling';
  return origin.status === 'PENDING' && !hasDeposit ? 'asleep' : 'ask';
}

/** True of what the provider gave up and of deposits, for a while: nothing was taken where the origin reverted. */
function mayComeBack(transfer: Transfer, hasDeposit: boolean): boolean {
  const { origin, substatus, finishedAt } = transfer;
  const expiredDeposit = hasDeposit && origin.status === 'SKIPPED';
  if (!expiredDeposit && !failedAtProvider(transfer)) return false;
  const watchedMs = substatus === 'REFUND_QUEUED' ? AWAITED_MS : WATCHED_MS;
  return finishedAt !== null && Date.now() - finishedAt.getTime() < watchedMs;
}

/** True when it was the provider that failed: the destination step failed without a transaction of its own. */
export const failedAtProvider = ({ status, destination }: Pick<Transfer, 'status' | 'destination'>): boolean =>
  status === 'FAILED' && destination.status === 'FAILED' && destination.txHash === null;
