import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import type { StoredTicket } from '../../ramps/ticket-store';
import type { DeliverySource, DeliveryState, BridgeTransfer } from '../delivery-source';
import { type DeliveryProvider, hasDeliveries } from '../delivery-provider';
import type { QuoteProvider } from '../quote-provider';
import { attributeAmount, readSettledAmount, readSettledAmounts } from './received-amount';
import { type RampSwapDeps, type RampSwapPlan, legToRamp, parsePlan } from './swap-leg';
import { followTicket } from './ramp-deliveries';
import { minBigInt } from '../../money/min-max';

/**
 * Follows the swap or transfer to the ramp, then the payout. The ramp pays out the whole received amount of its token;
 * a failed payout is refunded in that token.
 */
export function offRampDeliveries(deps: RampSwapDeps): DeliverySource {
  return {
    async follow(transfer, signal) {
      const { stored, transferPlan } = await findTransferPlan(deps, transfer);
      const { plan } = transferPlan;
      const received = await receivedByRamp(deps, transferPlan, signal);
      if (typeof received === 'object') return received;
      const ticket = forReceivedAmount(stored, { received, expected: plan.amount });
      const state = await followTicket(deps, { stored: ticket, isExpired: transfer.isExpired }, signal);
      if (state.status !== 'refunded') return state;
      const { address: token, symbol } = plan.rampToken.token;
      return {
        ...state,
        token,
        reason: `${state.reason}: ${symbol} was refunded, the token that the sale had been swapped to`,
      };
    },
    async completion(transfer, signal) {
      const { transferPlan } = await findTransferPlan(deps, transfer);
      const { deliveries } = bridgeOf(deps.venues, transferPlan.plan.leg.provider);
      const call = await deliveries.completion?.(legTransfer(transferPlan), signal);
      // Any account may send it: the customer can, the deposit address of the ramp cannot.
      return call && { ...call, from: transfer.sender };
    },
  };
}

interface TransferPlan {
  readonly transfer: BridgeTransfer;
  readonly plan: RampSwapPlan;
  readonly depositAddress: string;
}

async function findTransferPlan(
  { tickets, chains }: Pick<RampSwapDeps, 'tickets' | 'chains'>,
  transfer: BridgeTransfer,
): Promise<{ readonly stored: StoredTicket; readonly transferPlan: TransferPlan }> {
  const stored = await tickets.find(transfer.actionId);
  invariant(stored?.ticket?.kind === 'payOut', `the action ${transfer.actionId} has no payout`);
  const { depositAddress } = stored.ticket;
  return { stored, transferPlan: { transfer, plan: parsePlan(transfer.quote.execution, chains), depositAddress } };
}

/** Amount of the ramp token that the ramp has received; the state of the transfer while that is zero. */
async function receivedByRamp(
  deps: RampSwapDeps,
  transferPlan: TransferPlan,
  signal: AbortSignal,
): Promise<BaseUnits | DeliveryState> {
  const { transfer, plan } = transferPlan;
  if (transfer.originTxHash === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  if (transfer.request.origin.chainId !== plan.rampToken.chain.chainId)
    return receivedFromBridge(deps, transferPlan, signal);
  const parts = await readSettledAmounts(deps.rpc, { ...depositQuery(transferPlan), txHash: transfer.originTxHash });
  const { expectedAmountOut: expected, minAmountOut: minimum } = plan.leg;
  const received = attributeAmount(parts ?? [], { expected, minimum });
  // The origin chain decides about a transaction that failed or delivered nothing.
  return received === 0n ? { status: 'inFlight', waitingFor: 'CONFIRMATIONS' } : received;
}

async function receivedFromBridge(
  deps: RampSwapDeps,
  transferPlan: TransferPlan,
  signal: AbortSignal,
): Promise<BaseUnits | DeliveryState> {
  const state = await followLeg(deps, transferPlan, signal);
  if (state.status !== 'delivered' || state.txHash === undefined) return state;
  const settled =
    (await readSettledAmount(deps.rpc, { ...depositQuery(transferPlan), txHash: state.txHash })) ?? toBaseUnits(0n);
  // One transaction may complete several transfers: the bridge reports the amount of this one.
  const { amount = settled } = state;
  const received = minBigInt(settled, amount);
  return received === 0n ? { status: 'inFlight', waitingFor: 'DESTINATION' } : received;
}

/** The transfers to the deposit address of the ramp. */
const depositQuery = ({ plan: { rampToken }, depositAddress }: TransferPlan) => ({
  chain: rampToken.chain,
  token: rampToken.token.address,
  owner: depositAddress,
});

async function followLeg(deps: RampSwapDeps, transferPlan: TransferPlan, signal: AbortSignal): Promise<DeliveryState> {
  const bridge = bridgeOf(deps.venues, transferPlan.plan.leg.provider);
  return bridge.deliveries.follow(legTransfer(transferPlan), signal);
}

/** The bridge transfer of the leg to the ramp. */
const legTransfer = ({ transfer, plan, depositAddress }: TransferPlan): BridgeTransfer => ({
  ...transfer,
  quote: plan.leg,
  recipient: depositAddress,
  request: { ...legToRamp(transfer.request, plan.rampToken), destinationAddress: depositAddress },
});

/** @throws PROVIDER_UNAVAILABLE when the provider is no longer configured */
export function bridgeOf(venues: readonly QuoteProvider[], provider: string): DeliveryProvider {
  const bridge = venues.filter(hasDeliveries).find(({ id }) => id === provider);
  if (bridge === undefined) {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'it is no longer registered' });
  }
  return bridge;
}

/**
 * The ticket for the received amount. The quoted payout is scaled at the same rate, so that the ramp does not reject a
 * smaller amount.
 */
export const forReceivedAmount = (
  stored: StoredTicket,
  { received: amountIn, expected }: { readonly received: BaseUnits; readonly expected: BaseUnits },
): StoredTicket => {
  const { quote } = stored.request;
  const amountOut = toBaseUnits((quote.amountOut * amountIn) / expected);
  return { ...stored, request: { ...stored.request, quote: { ...quote, amountIn, amountOut } } };
};
