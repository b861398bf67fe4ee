import { serviceError } from '../../../errors/service-error';
import { validationError } from '../../../errors/validation';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import type { BitcoinPayment, BitcoinRpc } from '../../../rpc/bitcoin/bitcoin-rpc';
import type { DeliverySource, DeliveryState, Shipment } from '../../delivery-source';
import { bridgeError, parsed } from './relay-api';
import { statusAnswer } from './wire';

export interface RelayDeliveriesDeps {
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly bitcoin: BitcoinRpc;
}

/** Virtual bytes of a payment with one witness input and one output: what a refund is. */
const REFUND_BYTES = 110n;
const BITCOIN_CHAIN = 8_253_038;
const TXID = /^[0-9a-f]{64}$/i;

/** Follows deposits: the Bitcoin chain tells what arrived, Relay what became of it. */
export function createRelayDeliveries(deps: RelayDeliveriesDeps): DeliverySource {
  return {
    async follow(shipment, signal) {
      const [payment] = await paymentsOf(deps, shipment, signal);
      if (payment === undefined) return { status: 'inFlight', waitingFor: 'DEPOSIT' };
      const { status, txHashes } = await statusOf(deps, shipment, signal);
      const last = txHashes.at(-1);
      const originTxHash = payment.txid;
      if (status === 'success' && last !== undefined) {
        return { status: 'delivered', txHash: last, amount: undefined, partial: false, originTxHash };
      }
      if (status === 'refund' && last !== undefined)
        return { ...(await refunded(deps, shipment, { txid: last, signal })), originTxHash };
      if (status === 'failure' || status === 'refund') return { status: 'refunding', reason: REASON };
      const waitingFor = payment.confirmations === 0 ? 'CONFIRMATIONS' : 'DESTINATION';
      return { status: 'inFlight', waitingFor, originTxHash };
    },
    async refund(shipment, refundAddress, signal) {
      if (refundAddress !== refundAddressOf(shipment)) throw otherAddress();
      const payments = await paymentsOf(deps, shipment, signal);
      const feeRate = await deps.bitcoin.feeRate(shipment.request.origin.chainId, signal);
      const paid = payments.reduce((sum, { amount }) => sum + amount, 0n);
      if (paid <= feeRate * REFUND_BYTES) throw serviceError('INSUFFICIENT_AMOUNT_FOR_REFUND');
      await remind(deps, payments, signal);
    },
  };
}

/** Where the deposit was opened to go back to: Relay was told then, and takes no other address afterwards. */
const refundAddressOf = ({ request, sender }: Shipment): string => request.refundAddress ?? sender;

const otherAddress = () =>
  validationError([
    { path: 'refundAddress', message: 'must be the one that the quote was made for: it cannot be changed' },
  ]);

const REASON = 'The transfer could not be filled and the deposit goes back';

/** True when the Bitcoin transaction pays to the deposit address. @throws PROVIDER_UNAVAILABLE */
export async function findDeposit(
  bitcoin: BitcoinRpc,
  deposit: { readonly chainId: number; readonly address: string; readonly txid: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { chainId, address, txid } = deposit;
  return (await bitcoin.paymentOf(chainId, { txid, address }, signal)) !== undefined;
}

function paymentsOf({ bitcoin }: RelayDeliveriesDeps, { request, deposit }: Shipment, signal: AbortSignal) {
  if (deposit === undefined) return Promise.resolve<readonly BitcoinPayment[]>([]);
  return bitcoin.paymentsTo(request.origin.chainId, deposit.address, signal);
}

async function statusOf({ http }: RelayDeliveriesDeps, { deposit }: Shipment, signal: AbortSignal) {
  try {
    const requestId = deposit?.reference ?? '';
    return parsed(statusAnswer, await http.get('/intents/status/v3', { requestId }, signal));
  } catch (error) {
    throw bridgeError(error);
  }
}

async function refunded(
  { bitcoin }: RelayDeliveriesDeps,
  shipment: Shipment,
  { txid, signal }: { readonly txid: string; readonly signal: AbortSignal },
): Promise<DeliveryState> {
  const { chainId } = shipment.request.origin;
  const address = refundAddressOf(shipment);
  const payment = TXID.test(txid) ? await bitcoin.paymentOf(chainId, { txid, address }, signal) : undefined;
  // Relay's word alone is not enough: the payment has to be on the chain.
  if (payment === undefined) return { status: 'refunding', reason: REASON };
  return { status: 'refunded', chainId, txHash: txid, amount: toBaseUnits(payment.amount), reason: REASON };
}

/** A refund comes by itself once Relay has seen the deposit: it is told of each. @throws REFUND_PROCESSING_FAILED */
async function remind(
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
