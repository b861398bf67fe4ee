import { z } from 'zod';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { toBaseUnits } from '../../money/base-units';
import type { DeliverySource, DeliveryState, Shipment } from '../delivery-source';
import { arrivedAt } from './arrived';
import type { ComposedVenueDeps } from './composed-deps';
import { bridgeOf } from './composed-off-ramp';
import { legFromAnchor, parsePlan } from './leg';
import { alone, followTicket } from './ramp-deliveries';
import { isPromiseKept, sendAnchor, sendLeg, type Sent } from './service-leg';

const amount = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform((digits) => toBaseUnits(BigInt(digits)));
const memorySchema = z.object({
  payment: z.object({ txHash: z.string(), amount, seenAt: z.number() }),
  /** What is done with it. Decided before anything is sent, so that only one of both ever is. */
  way: z.enum(['leg', 'anchor']).optional(),
  /** The transaction that carries it on. */
  sent: z.object({ txHash: z.string(), provider: z.string() }).optional(),
});
type Memory = z.output<typeof memorySchema>;

/** For how long a price that has moved is waited for, before the customer gets the ramp's token in place. */
const PATIENCE_MS = 600_000;
const MOVED = 'The price moved too far: the token that the ramp paid was sent instead';

/**
 * Follows a payment to the ramp, the ramp's to the wallet of the service, and what the service buys with it. Each
 * transaction of the ramp counts for one action, by what the chain says of it, and is carried on once.
 */
export function onRampDeliveries(deps: ComposedVenueDeps): DeliverySource {
  return {
    async follow(shipment, signal) {
      const memory = shipment.memory === undefined ? undefined : memorySchema.parse(shipment.memory);
      if (memory === undefined) return followPayment(deps, shipment, signal);
      return alone(deps, shipment.actionId, () => followOn(deps, { shipment, memory }, signal));
    },
    async completion(shipment, signal) {
      const { data } = memorySchema.safeParse(shipment.memory);
      const leg = data === undefined ? undefined : legShipment(deps, { shipment, memory: data });
      return leg && bridgeOf(deps.venues, leg.quote.provider).deliveries.completion?.(leg, signal);
    },
  };
}

const waiting = (memory?: Memory): DeliveryState => ({
  ...{ status: 'inFlight', waitingFor: 'DESTINATION' },
  ...(memory === undefined ? {} : { memory: memoryJson(memory) }),
});

const memoryJson = ({ payment, ...rest }: Memory): object => ({
  ...rest,
  payment: { ...payment, amount: payment.amount.toString() },
});

async function followPayment(deps: ComposedVenueDeps, shipment: Shipment, signal: AbortSignal): Promise<DeliveryState> {
  const { actionId } = shipment;
  const stored = await deps.tickets.find(actionId);
  invariant(stored, `the action ${actionId} has no ticket`);
  const state = await followTicket(deps, stored, signal);
  if (state.status !== 'delivered') return state;
  const { txHash } = state;
  const { chain, token } = parsePlan(shipment.quote.execution, deps.chains).anchor;
  if (txHash === undefined) return waiting();
  const owner = stored.request.walletAddress;
  const arrived = await arrivedAt(deps.rpc, { chainId: chain.chainId, txHash, token: token.address, owner });
  if (arrived === undefined || arrived === 0n) return waiting();
  if (!(await deps.tickets.countPayment(actionId, { chainId: chain.chainId, txHash }))) {
    const reason = 'the transaction that it names paid another action';
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: deps.ramp.id, reason });
  }
  // One transaction may pay several: more than was promised is somebody else's.
  const promised = state.amount ?? stored.request.quote.amountOut;
  const own = arrived < promised ? arrived : promised;
  return waiting({ payment: { txHash, amount: own, seenAt: Date.now() } });
}

interface Carried {
  readonly shipment: Shipment;
  readonly memory: Memory;
}

async function followOn(deps: ComposedVenueDeps, carried: Carried, signal: AbortSignal): Promise<DeliveryState> {
  const { memory } = carried;
  if (memory.way === undefined) return decide(deps, carried, signal);
  if (memory.sent !== undefined) return followSent(deps, { ...carried, sent: memory.sent }, signal);
  const order = orderOf(deps, carried);
  if (memory.way === 'anchor') {
    const sent = await sendAnchor(deps, order, signal);
    return sent === undefined ? waiting() : waiting({ ...memory, sent });
  }
  const sent = await sendLeg(deps, order, signal);
  // The wallet refuses only when nothing of it is on its way: then the other way is open.
  if (sent === 'refused') {
    const givenUp = Date.now() - memory.payment.seenAt > PATIENCE_MS;
    return waiting(givenUp ? { ...memory, way: 'anchor' } : undefined);
  }
  return sent === undefined ? waiting() : waiting({ ...memory, sent });
}

function orderOf(deps: ComposedVenueDeps, { shipment, memory }: Carried) {
  const { anchor } = parsePlan(shipment.quote.execution, deps.chains);
  const { request, quote, actionId, recipient } = shipment;
  const leg = { ...legFromAnchor(request, anchor, memory.payment.amount), destinationAddress: recipient };
  return { actionId, anchor, leg, least: quote.minAmountOut, amount: memory.payment.amount, recipient };
}

/** Nothing was sent yet: buys when the promise can be kept, and after a while gives what the ramp paid. */
async function decide(deps: ComposedVenueDeps, carried: Carried, signal: AbortSignal): Promise<DeliveryState> {
  const { memory } = carried;
  if (await isPromiseKept(deps, orderOf(deps, carried), signal)) return waiting({ ...memory, way: 'leg' });
  const isPatient = Date.now() - memory.payment.seenAt < PATIENCE_MS;
  return isPatient ? waiting() : waiting({ ...memory, way: 'anchor' });
}

async function followSent(
  deps: ComposedVenueDeps,
  { shipment, memory, sent }: Carried & { readonly sent: Sent },
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { anchor } = parsePlan(shipment.quote.execution, deps.chains);
  const { chainId } = anchor.chain;
  const outcome = await outcomeOf(deps, { chainId, txHash: sent.txHash });
  if (outcome !== 'succeeded') return again(memory);
  if (memory.way === 'anchor') {
    const { address: token } = anchor.token;
    return {
      ...{ status: 'refunded', chainId, token, txHash: sent.txHash },
      amount: memory.payment.amount,
      reason: MOVED,
    };
  }
  if (chainId === shipment.request.destination.chainId) {
    return { status: 'delivered', txHash: sent.txHash, amount: undefined, partial: false };
  }
  const leg = legShipment(deps, { shipment, memory });
  invariant(leg, 'what was sent is followed');
  const state = await bridgeOf(deps.venues, sent.provider).deliveries.follow(leg, signal);
  return { ...state, memory: undefined };
}

/** A transaction that was replaced by a dearer one, or reverted, is asked for again: the wallet knows what became of it. */
const again = ({ payment, way }: Memory): DeliveryState => waiting({ payment, way });

async function outcomeOf(
  { rpc }: Pick<ComposedVenueDeps, 'rpc'>,
  { chainId, txHash }: { readonly chainId: number; readonly txHash: string },
): Promise<'succeeded' | 'reverted' | undefined> {
  const receipt = await rpc
    .client(chainId)
    .getTransactionReceipt({ hash: txHash as `0x${string}` })
    .catch(() => undefined);
  if (receipt === undefined) return undefined;
  return receipt.status === 'success' ? 'succeeded' : 'reverted';
}

/** What the service sent to another chain, as its carrier knows it. */
function legShipment(deps: ComposedVenueDeps, { shipment, memory }: Carried): Shipment | undefined {
  const { sent } = memory;
  if (sent === undefined || deps.serviceWallet === undefined) return undefined;
  const { anchor, leg } = parsePlan(shipment.quote.execution, deps.chains);
  const request = { ...legFromAnchor(shipment.request, anchor, memory.payment.amount) };
  const { amount: amountIn } = memory.payment;
  return {
    ...{ actionId: shipment.actionId, recipient: shipment.recipient, sender: deps.serviceWallet.address },
    request: { ...request, destinationAddress: shipment.recipient },
    quote: { ...leg, provider: sent.provider, amountIn, maxAmountIn: amountIn },
    ...{ originTxHash: sent.txHash, memory: undefined },
  };
}
