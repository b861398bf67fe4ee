import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import type { StoredTicket } from '../../ramps/ticket-store';
import type { BridgeProvider, DeliverySource, DeliveryState, Shipment } from '../delivery-source';
import type { QuoteProvider } from '../quote-provider';
import { ownPart, settledAt, settledParts } from './arrived';
import type { ComposedVenueDeps } from './composed-deps';
import { type ComposedPlan, legToAnchor, parsePlan } from './leg';
import { followTicket } from './ramp-deliveries';

/**
 * Follows what was sold on its way to the ramp, then the payout. All that has arrived of the anchor is paid out; when the
 * payout fails, it is the anchor that comes back.
 */
export function offRampDeliveries(deps: ComposedVenueDeps): DeliverySource {
  return {
    async follow(shipment, signal) {
      const { stored, way } = await wayOf(deps, shipment);
      const { plan } = way;
      const carried = await carriedTo(deps, way, signal);
      if (typeof carried === 'object') return carried;
      const ticket = receiving(stored, { arrived: carried, expected: plan.amount });
      const state = await followTicket(deps, { stored: ticket, isLate: shipment.isLate }, signal);
      if (state.status !== 'refunded') return state;
      const { address: token, symbol } = plan.anchor.token;
      return {
        ...state,
        token,
        reason: `${state.reason}: ${symbol} was sent back, which what was sold had been swapped for`,
      };
    },
    async completion(shipment, signal) {
      const { way } = await wayOf(deps, shipment);
      const { deliveries } = bridgeOf(deps.venues, way.plan.leg.provider);
      const call = await deliveries.completion?.(legShipment(way), signal);
      // Anybody may send it: the customer can, the ramp's account cannot.
      return call && { ...call, from: shipment.sender };
    },
  };
}

interface Way {
  readonly shipment: Shipment;
  readonly plan: ComposedPlan;
  readonly depositAddress: string;
}

async function wayOf(
  { tickets, chains }: Pick<ComposedVenueDeps, 'tickets' | 'chains'>,
  shipment: Shipment,
): Promise<{ readonly stored: StoredTicket; readonly way: Way }> {
  const stored = await tickets.find(shipment.actionId);
  invariant(stored?.ticket?.kind === 'payOut', `the action ${shipment.actionId} has no payout`);
  const { depositAddress } = stored.ticket;
  return { stored, way: { shipment, plan: parsePlan(shipment.quote.execution, chains), depositAddress } };
}

/** What has arrived of the anchor at the ramp; where the transfer is, while nothing has. */
async function carriedTo(deps: ComposedVenueDeps, way: Way, signal: AbortSignal): Promise<BaseUnits | DeliveryState> {
  const { shipment, plan } = way;
  if (shipment.originTxHash === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  if (shipment.request.origin.chainId !== plan.anchor.chain.chainId) return carriedAcross(deps, way, signal);
  const parts = await settledParts(deps.rpc, { ...placeOf(way), txHash: shipment.originTxHash });
  const { expectedAmountOut: expected, minAmountOut: least } = plan.leg;
  const arrived = ownPart(parts ?? [], { expected, least });
  // A transaction that failed, or brought nothing, is judged by its own chain.
  return arrived === 0n ? { status: 'inFlight', waitingFor: 'CONFIRMATIONS' } : arrived;
}

async function carriedAcross(
  deps: ComposedVenueDeps,
  way: Way,
  signal: AbortSignal,
): Promise<BaseUnits | DeliveryState> {
  const state = await followLeg(deps, way, signal);
  if (state.status !== 'delivered' || state.txHash === undefined) return state;
  const settled = (await settledAt(deps.rpc, { ...placeOf(way), txHash: state.txHash })) ?? toBaseUnits(0n);
  // One transaction may complete several transfers: the carrier knows what of it is this one's.
  const { amount = settled } = state;
  const arrived = settled < amount ? settled : amount;
  return arrived === 0n ? { status: 'inFlight', waitingFor: 'DESTINATION' } : arrived;
}

/** Where the ramp takes the anchor. */
const placeOf = ({ plan: { anchor }, depositAddress }: Way) => ({
  chain: anchor.chain,
  token: anchor.token.address,
  owner: depositAddress,
});

async function followLeg(deps: ComposedVenueDeps, way: Way, signal: AbortSignal): Promise<DeliveryState> {
  const bridge = bridgeOf(deps.venues, way.plan.leg.provider);
  return bridge.deliveries.follow(legShipment(way), signal);
}

/** The part of the transfer that another provider carries. */
const legShipment = ({ shipment, plan, depositAddress }: Way): Shipment => ({
  ...shipment,
  quote: plan.leg,
  recipient: depositAddress,
  request: { ...legToAnchor(shipment.request, plan.anchor), destinationAddress: depositAddress },
});

/** @throws PROVIDER_UNAVAILABLE when the deployment has it no more */
export function bridgeOf(venues: readonly QuoteProvider[], provider: string): BridgeProvider {
  const venue: (QuoteProvider & Partial<BridgeProvider>) | undefined = venues.find(({ id }) => id === provider);
  if (venue?.deliveries === undefined) {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'it is not registered any more' });
  }
  return { ...venue, deliveries: venue.deliveries };
}

/**
 * The ticket for as much as has arrived. What the ramp said that it would pay goes with it, at the same rate: a swap that
 * brought less is no reason for the ramp to pay nothing.
 */
export const receiving = (
  stored: StoredTicket,
  { arrived: amountIn, expected }: { readonly arrived: BaseUnits; readonly expected: BaseUnits },
): StoredTicket => {
  const { quote } = stored.request;
  const amountOut = toBaseUnits((quote.amountOut * amountIn) / expected);
  return { ...stored, request: { ...stored.request, quote: { ...quote, amountIn, amountOut } } };
};
