import { setTimeout as delay } from 'node:timers/promises';
import { FIAT_CHAIN_ID } from '../../chains/chain';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import type { RampProvider, TicketRequest, TicketState } from '../../ramps/ramp-provider';
import type { StoredTicket, TicketStore } from '../../ramps/ticket-store';
import type { DeliverySource, DeliveryState } from '../delivery-source';

export interface RampDeliveryDeps {
  readonly ramp: RampProvider;
  readonly tickets: TicketStore;
}

const CONFIRMING: DeliveryState = { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };

/** Follows the tickets of a ramp. */
export function rampDeliveries(deps: RampDeliveryDeps): DeliverySource {
  return {
    async follow({ actionId, originIsFinal, isLate }, signal) {
      const stored = await storedTicket(deps, actionId);
      const isPayOut = stored.request.route.direction === 'offRamp';
      // A ramp pays out of all that a person has there: what may yet be undone would be paid with another action's tokens.
      // What a ramp holds for one ticket alone comes back whether or not anybody here saw it arrive.
      const mayBeUndone = originIsFinal === false && (isLate !== true || deps.ramp.paysOutWhatArrives === true);
      if (isPayOut && mayBeUndone) return CONFIRMING;
      return followTicket(deps, { stored, isLate: isPayOut && isLate }, signal);
    },
    ...callingOff(deps),
  };
}

/** Ends tickets, at ramps where that has to be asked for. */
export function callingOff(deps: RampDeliveryDeps): Pick<DeliverySource, 'callOff'> {
  const cancelTicket = deps.ramp.cancelTicket?.bind(deps.ramp);
  if (cancelTicket === undefined) return {};
  return {
    async callOff({ actionId }, signal) {
      const { request, ticket } = await storedTicket(deps, actionId);
      invariant(ticket, `the ticket of the action ${actionId} was never answered`);
      const state = await alone(deps, { actionId, heardLate: true, signal }, () =>
        cancelTicket(ticket.ticketId, { ...request.account, request }, signal),
      );
      return state.status === 'failed' ? 'calledOff' : 'underWay';
    },
  };
}

async function storedTicket({ tickets }: RampDeliveryDeps, actionId: string): Promise<StoredTicket> {
  const stored = await tickets.find(actionId);
  invariant(stored, `the action ${actionId} has no ticket`);
  return stored;
}

export interface FollowedTicket {
  readonly stored: StoredTicket;
  /** Of a payout: true when its action was given up before. What arrives is not paid out, but sent back. */
  readonly isLate?: boolean | undefined;
}

/** How far a ticket is. A look at an off-ramp may be what tells the ramp to pay. @throws PROVIDER_UNAVAILABLE */
export async function followTicket(
  deps: RampDeliveryDeps,
  { stored: { request, ticket }, isLate = false }: FollowedTicket,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const actionId = request.externalId;
  invariant(ticket, `the ticket of the action ${actionId} was never answered`);
  const holder = { ...request.account, request, ...(isLate ? { givesBack: true } : {}) };
  // Of what lies in one account of the person's, each of their payouts would believe that it is its own.
  const ofAccount = deps.ramp.paysOutWhatArrives === true && request.route.direction === 'offRamp';
  const state = await alone(deps, { actionId, heardLate: true, ofAccount, signal }, () =>
    deps.ramp.ticketState(ticket.ticketId, holder, signal),
  );
  return deliveryOf(request, state);
}

export interface Looking {
  readonly actionId: string;
  /** True of work whose effects nothing else keeps from happening twice: what was told last may be heard after it failed. */
  readonly heardLate: boolean;
  /** True of work that reads and moves what the ramp holds for all tickets of one account. */
  readonly ofAccount?: boolean;
  readonly signal: AbortSignal;
}

/** Other payouts of the same person are waited for: each takes but a moment. */
const [WAIT_FOR_OTHERS_MS, LOOK_AGAIN_MS] = [5000, 100];

/**
 * Does what may move money for an action: one process at a time does, whatever wakes it. When work that may be heard late
 * fails, the lease is left to run out.
 *
 * @throws PROVIDER_UNAVAILABLE while another process does
 */
export async function alone<Result>(
  { ramp, tickets }: RampDeliveryDeps,
  { actionId, heardLate, ofAccount = false, signal }: Looking,
  work: () => Promise<Result>,
): Promise<Result> {
  let lease = await tickets.lease(actionId, { ofAccount });
  for (let waited = 0; lease === undefined && ofAccount && waited < WAIT_FOR_OTHERS_MS; waited += LOOK_AGAIN_MS) {
    await delay(LOOK_AGAIN_MS, undefined, { signal });
    lease = await tickets.lease(actionId, { ofAccount });
  }
  if (lease === undefined) {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: ramp.id, reason: 'another process asks it just now' });
  }
  const result = await work().catch(async (error: unknown) => {
    if (!heardLate) await tickets.release(actionId, lease);
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
