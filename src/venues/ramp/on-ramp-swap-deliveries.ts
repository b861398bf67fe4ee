import { z } from 'zod';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { requestReceipt } from '../../rpc/search-logs';
import type { SentForPurpose } from '../../rpc/service-wallet';
import type { DeliverySource, DeliveryState, BridgeTransfer } from '../delivery-source';
import { rankTransfersByAmount, readSettledTransfers } from './received-amount';
import { type RampSwapDeps, legFromRamp, parsePlan } from './swap-leg';
import { bridgeOf } from './off-ramp-swap-deliveries';
import { withTicketLease, followTicket } from './ramp-deliveries';
import { amountField } from '../../persistence/json-fields';
import {
  isRampTokenTransfer,
  sendRampToken,
  sendSwap,
  readSentCall,
  type ServiceSwapDeps,
  type ServiceSwap,
} from './service-swap';
import { isSameAddress } from '../../chains/addresses';
import { minBigInt } from '../../money/min-max';

const amount = amountField;
/** Sent transactions are stored by the service wallet before they are broadcast, not here. */
const checkpointSchema = z.object({
  payment: z.object({ txHash: z.string(), amount, seenAt: z.number() }),
  /** Checkpoint of the bridge that carries the leg. */
  leg: z.unknown().optional(),
});
type OnRampSwapCheckpoint = z.output<typeof checkpointSchema>;

const SWAP_TIMEOUT_MS = 600_000;
const fallbackReason = (why: string, symbol: string): string =>
  `${why}: ${symbol} was sent instead, as the ramp had paid it`;
const PRICE_MOVED = 'The token was no longer available at the quoted price';
const PAID_AFTER_EXPIRY = 'The payment arrived after the action had failed';

/**
 * Follows a payment to the ramp, the settlement of the ramp to the service wallet, and the swap of the service. Each
 * settlement is assigned to one action once it is final on chain, and is swapped once. After the action has expired
 * nothing is swapped: the customer receives the ramp token.
 */
export function onRampDeliveries(deps: RampSwapDeps): DeliverySource {
  return {
    async follow(transfer, signal) {
      if (transfer.checkpoint === undefined) return followPayment(deps, transfer, signal);
      const checkpoint = checkpointSchema.parse(transfer.checkpoint);
      // The lease may end early: the service wallet lets only one transaction of a purpose take effect.
      const lease = { actionId: transfer.actionId, mayTakeEffectLate: false, signal };
      return withTicketLease(deps, lease, () => followPaidTransfer(deps, { transfer, checkpoint }, signal));
    },
    async completion(transfer, signal) {
      const { data: checkpoint } = checkpointSchema.safeParse(transfer.checkpoint);
      if (checkpoint === undefined) return undefined;
      const { swapDeps, swap } = await prepareSwap(deps, { transfer, checkpoint });
      const { call } = await readSentCall(swapDeps, swap, signal);
      if (call === undefined || isRampTokenTransfer(swap, call)) return undefined;
      const leg = legTransfer(swapDeps, { transfer, checkpoint, swap, txHash: call.txHash });
      return bridgeOf(deps.venues, swap.quotedLeg.provider).deliveries.completion?.(leg, signal);
    },
  };
}

const waiting = (checkpoint?: OnRampSwapCheckpoint): DeliveryState => ({
  status: 'inFlight',
  waitingFor: 'DESTINATION',
  ...(checkpoint === undefined ? {} : { checkpoint: checkpointJson(checkpoint) }),
});

/** Delivery state after the settlement; `symbol` is that of the ramp token. */
const progressOf = ({ isExpired }: BridgeTransfer, symbol: string, checkpoint?: OnRampSwapCheckpoint): DeliveryState =>
  isExpired === true
    ? { ...waiting(checkpoint), status: 'refunding', reason: fallbackReason(PAID_AFTER_EXPIRY, symbol) }
    : waiting(checkpoint);

const checkpointJson = ({ payment, leg }: OnRampSwapCheckpoint): object => ({
  ...(leg === undefined ? {} : { leg }),
  payment: { ...payment, amount: payment.amount.toString() },
});

async function followPayment(
  deps: RampSwapDeps,
  transfer: BridgeTransfer,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { actionId } = transfer;
  const stored = await deps.tickets.find(actionId);
  invariant(stored, `the action ${actionId} has no ticket`);
  const state = await followTicket(deps, { stored }, signal);
  if (state.status !== 'delivered') return state;
  const { txHash } = state;
  const { chain, token } = parsePlan(transfer.quote.execution, deps.chains).rampToken;
  if (txHash === undefined) throw unavailable(deps, 'it has paid, but does not report the transaction');
  const arrivals = await readSettledTransfers(deps.rpc, {
    chain,
    txHash,
    token: token.address,
    owner: stored.request.walletAddress,
  });
  if (arrivals === undefined) return progressOf(transfer, token.symbol);
  const paid = arrivals.filter((arrival) => arrival.amount > 0n);
  if (paid.length === 0) throw unavailable(deps, 'the transaction that it names contains no payment');
  const promised = state.amount ?? stored.request.quote.amountOut;
  const payments = { chainId: chain.chainId, txHash, logIndexes: rankTransfersByAmount(paid, promised) };
  const counted = await deps.tickets.assignSettlement(actionId, payments);
  const arrival = paid.find(({ logIndex }) => logIndex === counted);
  if (arrival === undefined) throw unavailable(deps, 'the transaction that it names belongs to another action');
  // An amount above the promised one belongs to another action.
  const own = minBigInt(arrival.amount, promised);
  return progressOf(transfer, token.symbol, { payment: { txHash, amount: own, seenAt: Date.now() }, leg: undefined });
}

const unavailable = ({ ramp }: Pick<RampSwapDeps, 'ramp'>, reason: string) =>
  serviceError('PROVIDER_UNAVAILABLE', { provider: ramp.id, reason });

interface PaidTransfer {
  readonly transfer: BridgeTransfer;
  readonly checkpoint: OnRampSwapCheckpoint;
}

interface PreparedSwap {
  /** Dependencies with the service wallet that the ramp paid. */
  readonly swapDeps: ServiceSwapDeps;
  readonly swap: ServiceSwap;
}

/** @throws PROVIDER_UNAVAILABLE when the service no longer holds the wallet that the ramp paid */
async function prepareSwap(deps: RampSwapDeps, { transfer, checkpoint }: PaidTransfer): Promise<PreparedSwap> {
  const { rampToken, leg } = parsePlan(transfer.quote.execution, deps.chains);
  const { request, quote, actionId, recipient } = transfer;
  const stored = await deps.tickets.find(actionId);
  invariant(stored, `the action ${actionId} has no ticket`);
  const { serviceWallet } = deps;
  // Another wallet has neither the settlement nor the record of sent transactions.
  const { walletAddress } = stored.request;
  if (serviceWallet === undefined || !isSameAddress(serviceWallet.address, walletAddress)) {
    throw unavailable(deps, 'it paid a wallet that the service no longer holds');
  }
  const { amount: own } = checkpoint.payment;
  return {
    swapDeps: { ...deps, serviceWallet },
    swap: {
      actionId,
      customerId: stored.customerId,
      rampToken,
      quotedLeg: leg,
      minAmountOut: quote.minAmountOut,
      amount: own,
      recipient,
      leg: { ...legFromRamp(request, rampToken, own), destinationAddress: recipient },
    },
  };
}

async function followPaidTransfer(
  deps: RampSwapDeps,
  paidTransfer: PaidTransfer,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { swapDeps, swap } = await prepareSwap(deps, paidTransfer);
  const { call } = await readSentCall(swapDeps, swap, signal);
  if (call !== undefined) return followSent(swapDeps, { ...paidTransfer, swap, call }, signal);
  const waitedMs = Date.now() - paidTransfer.checkpoint.payment.seenAt;
  const isExpired = paidTransfer.transfer.isExpired === true;
  if (
    isExpired ||
    (await isSwapAbandoned(swapDeps, { swap, waitedMs, swapTimeoutMs: deps.swapTimeoutMs ?? SWAP_TIMEOUT_MS }, signal))
  ) {
    await sendRampToken(swapDeps, swap, signal);
  }
  return progressOf(paidTransfer.transfer, swap.rampToken.token.symbol);
}

interface SwapAttempt {
  readonly swap: ServiceSwap;
  readonly waitedMs: number;
  readonly swapTimeoutMs: number;
}

/** Tries to swap. True when the swap has been impossible for longer than the timeout. */
async function isSwapAbandoned(
  swapDeps: ServiceSwapDeps,
  { swap, waitedMs, swapTimeoutMs }: SwapAttempt,
  signal: AbortSignal,
): Promise<boolean> {
  const isTimedOut = waitedMs > swapTimeoutMs;
  try {
    const leg = await sendSwap(swapDeps, swap, signal);
    return leg === 'impossible' ? isTimedOut : leg === 'later' && waitedMs > 2 * swapTimeoutMs;
  } catch (error) {
    if (signal.aborted || !isTimedOut) throw error;
    return true;
  }
}

interface SentSwap extends PaidTransfer {
  readonly swap: ServiceSwap;
  readonly call: NonNullable<SentForPurpose['call']>;
}

async function followSent(
  swapDeps: ServiceSwapDeps,
  { transfer, checkpoint, swap, call }: SentSwap,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { chain, token } = swap.rampToken;
  const { txHash } = call;
  const receipt = await requestReceipt(swapDeps.rpc, { chainId: chain.chainId, txHash });
  // The service wallet replaces a reverted transaction once the revert is final.
  if (receipt?.status !== 'success') return progressOf(transfer, token.symbol);
  if (isRampTokenTransfer(swap, call)) {
    const place = { chainId: chain.chainId, token: token.address, txHash };
    const reason = fallbackReason(transfer.isExpired === true ? PAID_AFTER_EXPIRY : PRICE_MOVED, token.symbol);
    return { status: 'refunded', ...place, amount: swap.amount, reason };
  }
  if (chain.chainId === transfer.request.destination.chainId) {
    return { status: 'delivered', txHash, amount: undefined, partial: false };
  }
  const leg = legTransfer(swapDeps, { transfer, checkpoint, swap, txHash });
  const state = await bridgeOf(swapDeps.venues, swap.quotedLeg.provider).deliveries.follow(leg, signal);
  return { ...state, checkpoint: checkpointJson({ ...checkpoint, leg: state.checkpoint ?? checkpoint.leg }) };
}

interface SentBridgeLeg extends PaidTransfer {
  readonly swap: ServiceSwap;
  readonly txHash: string;
}

/** The bridge transfer of the leg from the service wallet. */
function legTransfer(
  { serviceWallet }: ServiceSwapDeps,
  { transfer, checkpoint, swap, txHash }: SentBridgeLeg,
): BridgeTransfer {
  const { amount: amountIn, minAmountOut: minAmountOut, quotedLeg, recipient } = swap;
  return {
    actionId: transfer.actionId,
    recipient,
    sender: serviceWallet.address,
    request: swap.leg,
    quote: { ...quotedLeg, amountIn, maxAmountIn: amountIn, minAmountOut },
    originTxHash: txHash,
    checkpoint: checkpoint.leg,
  };
}
