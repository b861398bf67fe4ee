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
    async follow({ actionId, originIsFinal }, signal) {
      const stored = await deps.tickets.find(actionId);
      invariant(stored, `the action ${actionId} has no ticket`);
      // A ramp pays out of all that a person has there: what may yet be undone would be paid with another action's tokens.
      if (stored.request.route.direction === 'offRamp' && originIsFinal === false) return CONFIRMING;
      return followTicket(deps, stored, signal);
    },
  };
}

/** How far a ticket is. A look at an off-ramp may be what tells the ramp to pay. @throws PROVIDER_UNAVAILABLE */
export async function followTicket(
  deps: RampDeliveryDeps,
  { request, ticket }: StoredTicket,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const actionId = request.externalId;
  invariant(ticket, `the ticket of the action ${actionId} was never answered`);
  const holder = { ...request.account, request };
  const state = await alone(deps, { actionId, heardLate: true }, () =>
    deps.ramp.ticketState(ticket.ticketId, holder, signal),
  );
  return deliveryOf(request, state);
}

export interface Looking {
  readonly actionId: string;
  /** True of work whose effects nothing else keeps from happening twice: what was told last may be heard after it failed. */
  readonly heardLate: boolean;
}

/**
 * Does what may move money for an action: one process at a time does, whatever wakes it. When work that may be heard late
 * fails, the lease is left to run out.
 *
 * @throws PROVIDER_UNAVAILABLE while another process does
 */
export async function alone<Result>(
  { ramp, tickets }: RampDeliveryDeps,
  { actionId, heardLate }: Looking,
  work: () => Promise<Result>,
): Promise<Result> {
  const lease = await tickets.lease(actionId);
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
