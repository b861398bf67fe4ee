import { z } from 'zod';
import { isServiceError } from '../../../errors/service-error';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { toBaseUnits } from '../../../money/base-units';
import type { Token } from '../../../tokens/token';
import type { HttpClient } from '../../../http/http-client';
import type { DeliveryState, Shipment } from '../../delivery-source';
import { askStatus, ID } from './lifi-api';
import { isSameToken } from './read-step';
import { execution, type TransferStatus } from './wire';

export interface FollowDeps {
  readonly http: Pick<HttpClient, 'get'>;
  readonly now?: () => number;
}

/** Since when, in milliseconds, LI.FI has not known a transfer whose transaction is on the chain. */
const memorySchema = z.object({ unknownSince: z.number() });

/** Longest that LI.FI may not know a transfer before it is given up. */
const UNKNOWN_FOR_MS = 24 * 60 * 60 * 1000;

/** Where LI.FI says that a transfer is. @throws PROVIDER_UNAVAILABLE */
export async function followTransfer(
  { http, now = Date.now }: FollowDeps,
  shipment: Shipment,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { request, quote, originTxHash } = shipment;
  if (originTxHash === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  const bridge = execution.safeParse(quote.execution).data?.tool;
  const [fromChain, toChain] = [request.origin.chainId, request.destination.chainId];
  try {
    const answer = await askStatus(http, { txHash: originTxHash, bridge, fromChain, toChain }, signal);
    if (answer.status === 'NOT_FOUND' || answer.status === 'INVALID') return unknown(shipment, now());
    return stateOf(answer, shipment);
  } catch (error) {
    throw isServiceError(error) ? error : providerUnavailable(ID, error);
  }
}

/** Not seen yet, or lost: it takes a while to tell one from the other. */
function unknown({ memory }: Shipment, now: number): DeliveryState {
  const { unknownSince = now } = memorySchema.safeParse(memory).data ?? {};
  if (now - unknownSince > UNKNOWN_FOR_MS) {
    return { status: 'failed', reason: 'LI.FI does not know the transfer a day after its transaction' };
  }
  return { status: 'inFlight', waitingFor: 'CONFIRMATIONS', memory: { unknownSince } };
}

function stateOf(answer: TransferStatus, shipment: Shipment): DeliveryState {
  const { status, substatus } = answer;
  // Seen with FAILED as well: what counts is that the money came back.
  if (substatus === 'REFUNDED' && status !== 'PENDING') return refunded(answer, shipment);
  if (status === 'DONE') return delivered(answer, shipment);
  if (status === 'FAILED') return { status: 'failed', reason: FAILURES[substatus ?? ''] ?? UNKNOWN_FAILURE };
  if (substatus === 'REFUND_IN_PROGRESS') return { status: 'refunding', reason: REFUND };
  const waitingFor = substatus === 'WAIT_SOURCE_CONFIRMATIONS' ? 'CONFIRMATIONS' : 'DESTINATION';
  return { status: 'inFlight', waitingFor };
}

const REFUND = 'the transfer could not be completed, the bridge sends it back';

const UNKNOWN_FAILURE = 'the transfer failed for a reason that LI.FI does not know';
const FAILURES: Readonly<Record<string, string>> = {
  INSUFFICIENT_ALLOWANCE: 'the amount exceeds the allowance',
  INSUFFICIENT_BALANCE: 'the balance is too small',
  OUT_OF_GAS: 'the transaction ran out of gas',
  EXPIRED: 'the quote had expired when the transaction was sent',
  SLIPPAGE_EXCEEDED: 'the price moved by more than the slippage',
  UNKNOWN_FAILED_ERROR: UNKNOWN_FAILURE,
};

/** What the bridge delivered instead, or on the chain where it came from, is not what was bought. */
function delivered(answer: TransferStatus, shipment: Shipment): DeliveryState {
  const { request, quote } = shipment;
  const { substatus, receiving } = answer;
  if (substatus !== 'COMPLETED' && substatus !== 'PARTIAL') throw unclear(`a transfer is ${String(substatus)}`);
  const { chainId = request.destination.chainId, txHash } = receiving;
  if (chainId !== request.destination.chainId) return refunded(answer, shipment);
  if (txHash === undefined) throw unclear('a transfer is delivered by no transaction');
  const { isSame, amount } = arrived(receiving, request.tokenOut);
  const isShort = amount !== undefined && amount < quote.minAmountOut;
  return { status: 'delivered', txHash, amount, partial: substatus === 'PARTIAL' || !isSame || isShort };
}

function refunded({ receiving }: TransferStatus, { request }: Shipment): DeliveryState {
  const { chainId = request.origin.chainId, txHash } = receiving;
  const knownChains = [request.origin.chainId, request.destination.chainId];
  if (!knownChains.includes(chainId)) throw unclear('a transfer went to a third chain');
  // Nothing to look for on the chain yet.
  if (txHash === undefined) return { status: 'refunding', reason: REFUND };
  const { amount } = arrived(receiving, request.tokenIn);
  const reason = 'the transfer could not be completed, the bridge sent it back';
  return { status: 'refunded', chainId, txHash, amount, reason };
}

/** How much of `token` arrived, when it is that token; one that is not named is taken for it. */
function arrived({ token, amount }: TransferStatus['receiving'], { address }: Token) {
  const isSame = isSameToken(token?.address ?? address, address);
  return { isSame, amount: isSame && amount !== undefined ? toBaseUnits(amount) : undefined };
}

const unclear = (what: string) => new UpstreamError(`its answer is unclear: ${what}`, { kind: 'unreadable' });
