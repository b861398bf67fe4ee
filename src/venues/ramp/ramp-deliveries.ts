import { setTimeout as delay } from 'node:timers/promises';
import { FIAT_CHAIN_ID } from '../../chains/chain';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { trackWrites } from '../../http/track-writes';
import { upstreamErrorOf } from '../../http/upstream-error';
import type { RampProvider, TicketRequest, TicketState } from '../../ramps/ramp-provider';
import type { StoredTicket, TicketStore } from '../../ramps/ticket-store';
import type { DeliverySource, DeliveryState } from '../delivery-source';

export interface RampDeliveryDeps {
  readonly ramp: RampProvider;
  readonly tickets: TicketStore;
}

const CONFIRMING: DeliveryState = { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };

/** Reports the state of the tickets of a ramp. */
export function rampDeliveries(deps: RampDeliveryDeps): DeliverySource {
  return {
    async follow({ actionId, originIsFinal, isExpired }, signal) {
      const stored = await storedTicket(deps, actionId);
      const isPayOut = stored.request.route.direction === 'offRamp';
      // The ramp pays out of the balance of an account, so a deposit that a reorganisation may undo would be paid with the tokens of another action.
      // Deposits held for a single ticket are refunded, whether or not the service saw them.
      const mayBeUndone = originIsFinal === false && (isExpired !== true || deps.ramp.paysOutReceivedAmount === true);
      if (isPayOut && mayBeUndone) return CONFIRMING;
      return followTicket(deps, { stored, isExpired: isPayOut && isExpired }, signal);
    },
    ...cancellation(deps),
  };
}

/** Cancels tickets at ramps that support it. */
export function cancellation(deps: RampDeliveryDeps): Pick<DeliverySource, 'cancel'> {
  const cancelTicket = deps.ramp.cancelTicket?.bind(deps.ramp);
  if (cancelTicket === undefined) return {};
  return {
    async cancel({ actionId }, signal) {
      const { request, ticket } = await storedTicket(deps, actionId);
      invariant(ticket, `the ticket of the action ${actionId} has no response of the ramp`);
      const state = await withTicketLease(deps, { actionId, mayTakeEffectLate: true, signal }, () =>
        cancelTicket(ticket.ticketId, { ...request.account, request }, signal),
      );
      return state.status === 'failed' ? 'cancelled' : 'inProgress';
    },
  };
}

async function storedTicket({ tickets }: RampDeliveryDeps, actionId: string): Promise<StoredTicket> {
  const stored = await tickets.find(actionId);
  invariant(stored, `the action ${actionId} has no ticket`);
  return stored;
}

export interface TicketToFollow {
  readonly stored: StoredTicket;
  /** True for a payout whose action has expired: the deposit is refunded instead of paid out. */
  readonly isExpired?: boolean | undefined;
}

/** Reads the state of a ticket. For off-ramps this may instruct the ramp to pay. @throws PROVIDER_UNAVAILABLE */
export async function followTicket(
  deps: RampDeliveryDeps,
  { stored: { request, ticket }, isExpired = false }: TicketToFollow,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const actionId = request.externalId;
  invariant(ticket, `the ticket of the action ${actionId} has no response of the ramp`);
  const holder = { ...request.account, request, ...(isExpired ? { refundsLateDeposit: true } : {}) };
  // The balance of an account is shared: each payout would claim all of it.
  const ofAccount = deps.ramp.paysOutReceivedAmount === true && request.route.direction === 'offRamp';
  const state = await withTicketLease(deps, { actionId, mayTakeEffectLate: true, ofAccount, signal }, () =>
    deps.ramp.ticketState(ticket.ticketId, holder, signal),
  );
  return deliveryOf(request, state);
}

export interface TicketLeaseScope {
  readonly actionId: string;
  /** True when the work may take effect after it failed, and must not run twice. */
  readonly mayTakeEffectLate: boolean;
  /** True when the work reads or moves the balance shared by all tickets of an account. */
  readonly ofAccount?: boolean;
  readonly signal: AbortSignal;
}

/** Wait for other payouts of the same account, which take a moment. */
const [LEASE_TIMEOUT_MS, POLL_INTERVAL_MS] = [5000, 100];

/**
 * Runs work that may move funds of an action in one process at a time. When work that may take effect late fails, the
 * lease stays until it expires. It is released after a failed GET request, which has no later effect, so that other
 * payouts of the account are not delayed; but not when another request of the same work had failed before. After an
 * unreadable response it stays.
 *
 * @throws PROVIDER_UNAVAILABLE while another process does
 */
export async function withTicketLease<Result>(
  { ramp, tickets }: RampDeliveryDeps,
  { actionId, mayTakeEffectLate, ofAccount = false, signal }: TicketLeaseScope,
  work: () => Promise<Result>,
): Promise<Result> {
  let lease = await tickets.lease(actionId, { ofAccount });
  for (let waited = 0; lease === undefined && ofAccount && waited < LEASE_TIMEOUT_MS; waited += POLL_INTERVAL_MS) {
    await delay(POLL_INTERVAL_MS, undefined, { signal });
    lease = await tickets.lease(actionId, { ofAccount });
  }
  if (lease === undefined) {
    throw serviceError('PROVIDER_UNAVAILABLE', {
      provider: ramp.id,
      reason: 'another process is requesting it now. Retry in a moment',
    });
  }
  const writes = trackWrites();
  const result = await writes.run(work).catch(async (error: unknown) => {
    const onlyReadFailed = upstreamErrorOf(error)?.isRead === true && !writes.hasFailedWrite();
    if (!mayTakeEffectLate || onlyReadFailed) await tickets.release(actionId, lease);
    throw error;
  });
  await tickets.release(actionId, lease);
  return result;
}

function deliveryOf({ route }: TicketRequest, state: TicketState): DeliveryState {
  const isPayIn = route.direction === 'onRamp';
  switch (state.status) {
    case 'waitingForPayment':
      return { status: 'inFlight', waitingFor: isPayIn ? 'DEPOSIT' : 'CONFIRMATIONS' };
    case 'processing':
      return { status: 'inFlight', waitingFor: isPayIn ? 'DESTINATION' : 'PAYOUT' };
    case 'completed':
      return { status: 'delivered', txHash: state.txHash, amount: state.amountOut, partial: false };
    case 'refunding':
      return state;
    case 'refunded':
      return { ...state, chainId: isPayIn ? FIAT_CHAIN_ID : route.chain.chainId, amount: undefined };
    case 'failed':
      return state;
  }
}
