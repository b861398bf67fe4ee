import { type Address, isAddressEqual } from 'viem';
import { z } from 'zod';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { toBaseUnits } from '../../money/base-units';
import { requestReceipt } from '../../rpc/search-logs';
import type { SentForPurpose } from '../../rpc/service-wallet';
import type { DeliverySource, DeliveryState, Shipment } from '../delivery-source';
import { likeliest, settledArrivals } from './arrived';
import type { ComposedVenueDeps } from './composed-deps';
import { bridgeOf } from './composed-off-ramp';
import { legFromAnchor, parsePlan } from './leg';
import { alone, followTicket } from './ramp-deliveries';
import { isAnchor, sendAnchor, sendLeg, sentFor, type ServiceLegDeps, type ServiceOrder } from './service-leg';

const amount = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform((digits) => toBaseUnits(BigInt(digits)));
/** What was sent is the wallet's to remember: it is written down there before it leaves. */
const memorySchema = z.object({
  payment: z.object({ txHash: z.string(), amount, seenAt: z.number() }),
  /** What the carrier to another chain remembers. */
  leg: z.unknown().optional(),
});
type Memory = z.output<typeof memorySchema>;

const PATIENCE_MS = 600_000;
const insteadOf = (why: string, symbol: string): string =>
  `${why}: ${symbol} was sent instead, as the ramp had paid it`;
const MOVED = 'What was bought could not be had at the price any more';
const TOO_LATE = 'The payment came after the action had failed';

/**
 * Follows a payment to the ramp, the ramp's to the wallet of the service, and what the service buys with it. Each
 * payment of the ramp counts for one action, by what the chain says of it once it is final, and is carried on once.
 * For what is paid after the action has failed nothing is bought any more: the customer gets what the ramp paid.
 */
export function onRampDeliveries(deps: ComposedVenueDeps): DeliverySource {
  return {
    async follow(shipment, signal) {
      if (shipment.memory === undefined) return followPayment(deps, shipment, signal);
      const memory = memorySchema.parse(shipment.memory);
      // What the wallet sends cannot be heard late: it lets one transaction take effect.
      const looking = { actionId: shipment.actionId, heardLate: false, signal };
      return alone(deps, looking, () => followOn(deps, { shipment, memory }, signal));
    },
    async completion(shipment, signal) {
      const { data: memory } = memorySchema.safeParse(shipment.memory);
      if (memory === undefined) return undefined;
      const { held, order } = await orderOf(deps, { shipment, memory });
      const { call } = await sentFor(held, order, signal);
      if (call === undefined || isAnchor(order, call)) return undefined;
      const leg = legShipment(held, { shipment, memory, order, txHash: call.txHash });
      return bridgeOf(deps.venues, order.planned.provider).deliveries.completion?.(leg, signal);
    },
  };
}

const waiting = (memory?: Memory): DeliveryState => ({
  status: 'inFlight',
  waitingFor: 'DESTINATION',
  ...(memory === undefined ? {} : { memory: memoryJson(memory) }),
});

/** Where it is while it is carried on; `symbol` is of what the ramp paid. */
const underWay = ({ isLate }: Shipment, symbol: string, memory?: Memory): DeliveryState =>
  isLate === true ? { ...waiting(memory), status: 'refunding', reason: insteadOf(TOO_LATE, symbol) } : waiting(memory);

const memoryJson = ({ payment, leg }: Memory): object => ({
  ...(leg === undefined ? {} : { leg }),
  payment: { ...payment, amount: payment.amount.toString() },
});

async function followPayment(deps: ComposedVenueDeps, shipment: Shipment, signal: AbortSignal): Promise<DeliveryState> {
  const { actionId } = shipment;
  const stored = await deps.tickets.find(actionId);
  invariant(stored, `the action ${actionId} has no ticket`);
  const state = await followTicket(deps, { stored }, signal);
  if (state.status !== 'delivered') return state;
  const { txHash } = state;
  const { chain, token } = parsePlan(shipment.quote.execution, deps.chains).anchor;
  if (txHash === undefined) throw unavailable(deps, 'it has paid, and does not tell by which transaction');
  const arrivals = await settledArrivals(deps.rpc, {
    chain,
    txHash,
    token: token.address,
    owner: stored.request.walletAddress,
  });
  if (arrivals === undefined) return underWay(shipment, token.symbol);
  const paid = arrivals.filter((arrival) => arrival.amount > 0n);
  if (paid.length === 0) throw unavailable(deps, 'the transaction that it names paid nothing');
  const promised = state.amount ?? stored.request.quote.amountOut;
  const payments = { chainId: chain.chainId, txHash, logIndexes: likeliest(paid, promised) };
  const counted = await deps.tickets.countPayment(actionId, payments);
  const arrival = paid.find(({ logIndex }) => logIndex === counted);
  if (arrival === undefined) throw unavailable(deps, 'the transaction that it names paid another action');
  // More than was promised is somebody else's.
  const own = arrival.amount < promised ? arrival.amount : promised;
  return underWay(shipment, token.symbol, { payment: { txHash, amount: own, seenAt: Date.now() }, leg: undefined });
}

const unavailable = ({ ramp }: Pick<ComposedVenueDeps, 'ramp'>, reason: string) =>
  serviceError('PROVIDER_UNAVAILABLE', { provider: ramp.id, reason });

interface Carried {
  readonly shipment: Shipment;
  readonly memory: Memory;
}

interface Ordered {
  /** Whose wallet is the one that the ramp has paid. */
  readonly held: ServiceLegDeps;
  readonly order: ServiceOrder;
}

/** @throws PROVIDER_UNAVAILABLE when the service does not hold the wallet any more that the ramp has paid */
async function orderOf(deps: ComposedVenueDeps, { shipment, memory }: Carried): Promise<Ordered> {
  const { anchor, leg } = parsePlan(shipment.quote.execution, deps.chains);
  const { request, quote, actionId, recipient } = shipment;
  const stored = await deps.tickets.find(actionId);
  invariant(stored, `the action ${actionId} has no ticket`);
  const { serviceWallet } = deps;
  // Another wallet knows nothing of what this one has sent, and what it holds is not of this payment.
  const { walletAddress } = stored.request;
  if (serviceWallet === undefined || !isAddressEqual(serviceWallet.address, walletAddress as Address)) {
    throw unavailable(deps, 'it paid a wallet that the service does not hold any more');
  }
  const { amount: own } = memory.payment;
  return {
    held: { ...deps, serviceWallet },
    order: {
      actionId,
      customerId: stored.customerId,
      anchor,
      planned: leg,
      least: quote.minAmountOut,
      amount: own,
      recipient,
      leg: { ...legFromAnchor(request, anchor, own), destinationAddress: recipient },
    },
  };
}

async function followOn(deps: ComposedVenueDeps, carried: Carried, signal: AbortSignal): Promise<DeliveryState> {
  const { held, order } = await orderOf(deps, carried);
  const { call } = await sentFor(held, order, signal);
  if (call !== undefined) return followSent(held, { ...carried, order, call }, signal);
  const waitedMs = Date.now() - carried.memory.payment.seenAt;
  const isLate = carried.shipment.isLate === true;
  if (isLate || (await isGivenUp(held, { order, waitedMs, patienceMs: deps.patienceMs ?? PATIENCE_MS }, signal))) {
    await sendAnchor(held, order, signal);
  }
  return underWay(carried.shipment, order.anchor.token.symbol);
}

interface Patience {
  readonly order: ServiceOrder;
  readonly waitedMs: number;
  readonly patienceMs: number;
}

/** Buys where that is possible. True when it is not, and has not been for too long. */
async function isGivenUp(
  held: ServiceLegDeps,
  { order, waitedMs, patienceMs }: Patience,
  signal: AbortSignal,
): Promise<boolean> {
  const hasWaited = waitedMs > patienceMs;
  try {
    const leg = await sendLeg(held, order, signal);
    return leg === 'impossible' ? hasWaited : leg === 'later' && waitedMs > 2 * patienceMs;
  } catch (error) {
    if (signal.aborted || !hasWaited) throw error;
    return true;
  }
}

interface SentOn extends Carried {
  readonly order: ServiceOrder;
  readonly call: NonNullable<SentForPurpose['call']>;
}

async function followSent(
  held: ServiceLegDeps,
  { shipment, memory, order, call }: SentOn,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { chain, token } = order.anchor;
  const { txHash } = call;
  const receipt = await requestReceipt(held.rpc, { chainId: chain.chainId, txHash });
  // One that reverted is the wallet's to follow by another, when that is for good.
  if (receipt?.status !== 'success') return underWay(shipment, token.symbol);
  if (isAnchor(order, call)) {
    const place = { chainId: chain.chainId, token: token.address, txHash };
    const reason = insteadOf(shipment.isLate === true ? TOO_LATE : MOVED, token.symbol);
    return { status: 'refunded', ...place, amount: order.amount, reason };
  }
  if (chain.chainId === shipment.request.destination.chainId) {
    return { status: 'delivered', txHash, amount: undefined, partial: false };
  }
  const leg = legShipment(held, { shipment, memory, order, txHash });
  const state = await bridgeOf(held.venues, order.planned.provider).deliveries.follow(leg, signal);
  return { ...state, memory: memoryJson({ ...memory, leg: state.memory ?? memory.leg }) };
}

interface SentLeg extends Carried {
  readonly order: ServiceOrder;
  readonly txHash: string;
}

/** What the service sent to another chain, as its carrier knows it. */
function legShipment({ serviceWallet }: ServiceLegDeps, { shipment, memory, order, txHash }: SentLeg): Shipment {
  const { amount: amountIn, least: minAmountOut, planned, recipient } = order;
  return {
    actionId: shipment.actionId,
    recipient,
    sender: serviceWallet.address,
    request: order.leg,
    quote: { ...planned, amountIn, maxAmountIn: amountIn, minAmountOut },
    originTxHash: txHash,
    memory: memory.leg,
  };
}
