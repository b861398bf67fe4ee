import { serviceError } from '../../../errors/service-error';
import { validationError } from '../../../errors/validation';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import type { BitcoinPayment, BitcoinRpc } from '../../../rpc/bitcoin/bitcoin-rpc';
import type { DeliverySource, DeliveryState, BridgeTransfer } from '../../delivery-source';
import { bridgeApiError, parseResponse } from './relay-api';
import { relayStatusResponse } from './api-schemas';

export interface RelayDeliveriesDeps {
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly bitcoin: BitcoinRpc;
}

/** Virtual bytes of a refund: a payment with one witness input and one output. */
const REFUND_BYTES = 110n;
const BITCOIN_CHAIN = 8_253_038;
const TXID = /^[0-9a-f]{64}$/i;

/** Follows deposits: the Bitcoin chain shows the deposit, Relay reports the outcome. */
export function createRelayDeliveries(deps: RelayDeliveriesDeps): DeliverySource {
  return {
    async follow(transfer, signal) {
      const [payment] = await paymentsOf(deps, transfer, signal);
      if (payment === undefined) return { status: 'inFlight', waitingFor: 'DEPOSIT' };
      const { status, txHashes } = await statusOf(deps, transfer, signal);
      const last = txHashes.at(-1);
      const originTxHash = payment.txid;
      if (status === 'success' && last !== undefined) {
        return { status: 'delivered', txHash: last, amount: undefined, partial: false, originTxHash };
      }
      if (status === 'refund' && last !== undefined)
        return { ...(await refunded(deps, transfer, { txid: last, signal })), originTxHash };
      if (status === 'failure' || status === 'refund') return { status: 'refunding', reason: REASON };
      const waitingFor = payment.confirmations === 0 ? 'CONFIRMATIONS' : 'DESTINATION';
      return { status: 'inFlight', waitingFor, originTxHash };
    },
    async refund(transfer, refundAddress, signal) {
      if (refundAddress !== refundAddressOf(transfer)) throw addressMismatchError();
      const payments = await paymentsOf(deps, transfer, signal);
      const feeRate = await deps.bitcoin.feeRate(transfer.request.origin.chainId, signal);
      const paid = payments.reduce((sum, { amount }) => sum + amount, 0n);
      if (paid <= feeRate * REFUND_BYTES) throw serviceError('INSUFFICIENT_AMOUNT_FOR_REFUND');
      await reportDeposits(deps, payments, signal);
    },
  };
}

/** Refund address of the deposit. Relay cannot change it after the deposit was opened. */
const refundAddressOf = ({ request, sender }: BridgeTransfer): string => request.refundAddress ?? sender;

const addressMismatchError = () =>
  validationError([
    { path: 'refundAddress', message: 'must be the refund address of the quote: it cannot be changed' },
  ]);

const REASON = 'The transfer could not be filled and the deposit is refunded';

/** True when the Bitcoin transaction pays to the deposit address. @throws PROVIDER_UNAVAILABLE */
export async function findDeposit(
  bitcoin: BitcoinRpc,
  deposit: { readonly chainId: number; readonly address: string; readonly txid: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { chainId, address, txid } = deposit;
  return (await bitcoin.paymentOf(chainId, { txid, address }, signal)) !== undefined;
}

function paymentsOf({ bitcoin }: RelayDeliveriesDeps, { request, deposit }: BridgeTransfer, signal: AbortSignal) {
  if (deposit === undefined) return Promise.resolve<readonly BitcoinPayment[]>([]);
  return bitcoin.paymentsTo(request.origin.chainId, deposit.address, signal);
}

async function statusOf({ http }: RelayDeliveriesDeps, { deposit }: BridgeTransfer, signal: AbortSignal) {
  try {
    const requestId = deposit?.reference ?? '';
    return parseResponse(relayStatusResponse, await http.get('/intents/status/v3', { requestId }, signal));
  } catch (error) {
    throw bridgeApiError(error);
  }
}

async function refunded(
  { bitcoin }: RelayDeliveriesDeps,
  transfer: BridgeTransfer,
  { txid, signal }: { readonly txid: string; readonly signal: AbortSignal },
): Promise<DeliveryState> {
  const { chainId } = transfer.request.origin;
  const address = refundAddressOf(transfer);
  const payment = TXID.test(txid) ? await bitcoin.paymentOf(chainId, { txid, address }, signal) : undefined;
  // The refund has to be on the chain as well.
  if (payment === undefined) return { status: 'refunding', reason: REASON };
  return { status: 'refunded', chainId, txHash: txid, amount: toBaseUnits(payment.amount), reason: REASON };
}

/** Reports the deposits to Relay, which then refunds them by itself. @throws REFUND_PROCESSING_FAILED */
async function reportDeposits(
  { http }: RelayDeliveriesDeps,
  payments: readonly BitcoinPayment[],
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const { txid } of payments)
      await http.post('/transactions/index', { chainId: String(BITCOIN_CHAIN), txHash: txid }, signal);
  } catch (cause) {
    throw serviceError('REFUND_PROCESSING_FAILED', {}, { cause });
  }
}
