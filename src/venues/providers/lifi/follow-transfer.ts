import { z } from 'zod';
import { isServiceError } from '../../../errors/service-error';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { toBaseUnits } from '../../../money/base-units';
import type { Token } from '../../../tokens/token';
import type { HttpClient } from '../../../http/http-client';
import type { DeliveryState, BridgeTransfer } from '../../delivery-source';
import { fetchTransferStatus, LIFI } from './lifi-api';
import { isSameToken } from './check-step';
import { execution, type TransferStatus } from './api-schemas';

export interface TransferFollowDeps {
  readonly http: Pick<HttpClient, 'get'>;
  readonly now?: () => number;
}

/** Time since which LI.FI has had no record of a mined transfer, in Unix milliseconds. */
const checkpointSchema = z.object({ unknownSince: z.number() });

/** Time after which a transfer without a record at LI.FI fails. */
const UNKNOWN_FOR_MS = 24 * 60 * 60 * 1000;

/** Reports the state of a transfer at LI.FI. @throws PROVIDER_UNAVAILABLE */
export async function followTransfer(
  { http, now = Date.now }: TransferFollowDeps,
  transfer: BridgeTransfer,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { request, quote, originTxHash } = transfer;
  if (originTxHash === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  const bridge = execution.safeParse(quote.execution).data?.tool;
  const [fromChain, toChain] = [request.origin.chainId, request.destination.chainId];
  try {
    const response = await fetchTransferStatus(http, { txHash: originTxHash, bridge, fromChain, toChain }, signal);
    if (response.status === 'NOT_FOUND' || response.status === 'INVALID') return unknown(transfer, now());
    return stateOf(response, transfer);
  } catch (error) {
    throw isServiceError(error) ? error : providerUnavailable(LIFI, error);
  }
}

/** LI.FI has not indexed the transfer yet, or never will. */
function unknown({ checkpoint }: BridgeTransfer, now: number): DeliveryState {
  const { unknownSince = now } = checkpointSchema.safeParse(checkpoint).data ?? {};
  if (now - unknownSince > UNKNOWN_FOR_MS) {
    return { status: 'failed', reason: 'LI.FI has no record of the transfer a day after its transaction' };
  }
  return { status: 'inFlight', waitingFor: 'CONFIRMATIONS', checkpoint: { unknownSince } };
}

function stateOf(response: TransferStatus, transfer: BridgeTransfer): DeliveryState {
  const { status, substatus } = response;
  // Also occurs with status FAILED: the refund counts.
  if (substatus === 'REFUNDED' && status !== 'PENDING') return refunded(response, transfer);
  if (status === 'DONE') return delivered(response, transfer);
  if (status === 'FAILED') return { status: 'failed', reason: FAILURES[substatus ?? ''] ?? UNKNOWN_FAILURE };
  if (substatus === 'REFUND_IN_PROGRESS') return { status: 'refunding', reason: REFUND };
  const waitingFor = substatus === 'WAIT_SOURCE_CONFIRMATIONS' ? 'CONFIRMATIONS' : 'DESTINATION';
  return { status: 'inFlight', waitingFor };
}

const REFUND = 'the transfer could not be completed, and the bridge refunds it';

const UNKNOWN_FAILURE = 'the transfer failed for an unknown reason';
const FAILURES: Readonly<Record<string, string>> = {
  INSUFFICIENT_ALLOWANCE: 'the amount exceeds the allowance',
  INSUFFICIENT_BALANCE: 'the balance is too small',
  OUT_OF_GAS: 'the transaction ran out of gas',
  EXPIRED: 'the quote had expired when the transaction was sent',
  SLIPPAGE_EXCEEDED: 'the price moved by more than the slippage',
  UNKNOWN_FAILED_ERROR: UNKNOWN_FAILURE,
};

/** A delivery to the origin chain is a refund; another token or less than the minimum is a partial delivery. */
function delivered(response: TransferStatus, transfer: BridgeTransfer): DeliveryState {
  const { request, quote } = transfer;
  const { substatus, receiving } = response;
  if (substatus !== 'COMPLETED' && substatus !== 'PARTIAL') throw unclearError(`a transfer is ${String(substatus)}`);
  const { chainId = request.destination.chainId, txHash } = receiving;
  if (chainId !== request.destination.chainId) return refunded(response, transfer);
  if (txHash === undefined) throw unclearError('a transfer is delivered by no transaction');
  const { isSame, amount } = receivedAmount(receiving, request.tokenOut);
  const isShort = amount !== undefined && amount < quote.minAmountOut;
  return { status: 'delivered', txHash, amount, partial: substatus === 'PARTIAL' || !isSame || isShort };
}

function refunded({ receiving }: TransferStatus, { request }: BridgeTransfer): DeliveryState {
  const { chainId = request.origin.chainId, txHash } = receiving;
  const knownChains = [request.origin.chainId, request.destination.chainId];
  if (!knownChains.includes(chainId)) throw unclearError('a transfer went to a third chain');
  // The refund has no transaction yet.
  if (txHash === undefined) return { status: 'refunding', reason: REFUND };
  const { amount } = receivedAmount(receiving, request.tokenIn);
  const reason = 'the transfer could not be completed, and the bridge refunded it';
  return { status: 'refunded', chainId, txHash, amount, reason };
}

/** Received amount of `token`. A response without a token is taken to mean the expected one. */
function receivedAmount({ token, amount }: TransferStatus['receiving'], { address }: Token) {
  const isSame = isSameToken(token?.address ?? address, address);
  return { isSame, amount: isSame && amount !== undefined ? toBaseUnits(amount) : undefined };
}

const unclearError = (what: string) => new UpstreamError(`its response is ambiguous: ${what}`, { kind: 'unreadable' });
