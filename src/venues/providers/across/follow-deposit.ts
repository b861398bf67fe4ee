import { encodeAbiParameters, type Hex, keccak256, parseEventLogs, type TransactionReceipt } from 'viem';
import { serviceError } from '../../../errors/service-error';
import { contractRead } from '../../../rpc/contract-read';
import type { DeliveryState, Shipment } from '../../delivery-source';
import { findFill } from './find-fill';
import { findRefund } from './find-refund';
import type { FollowDeps, RelayData } from './followed-deposit';
import { type Lane, laneOf } from './lane';
import { readMemory } from './memory';
import { requestReceipt } from '../../../rpc/search-logs';
import { FILLED, relayHashParameters, spokePoolAbi, toWord } from './spoke-pool';

/**
 * Where a deposit is. The chains decide; the API only helps to find transactions, and may be down.
 *
 * @throws PROVIDER_UNAVAILABLE when a chain could not be asked, BRIDGE_API_ERROR when its SpokePool does not answer,
 * or is not configured any more
 */
export async function followDeposit(deps: FollowDeps, shipment: Shipment, signal: AbortSignal): Promise<DeliveryState> {
  const lane = laneOf(shipment.request);
  // The configuration has left it out: what is on its way arrives all the same, and nobody can say so now.
  if (lane === undefined) throw serviceError('BRIDGE_API_ERROR');
  if (shipment.originTxHash === undefined) return { status: 'inFlight', waitingFor: 'DEPOSIT' };
  const receipt = await requestReceipt(deps.rpc, { chainId: lane.origin.chain.chainId, txHash: shipment.originTxHash });
  if (receipt === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  const relay = depositIn(receipt, { lane, shipment });
  if (relay === undefined) return { status: 'failed', reason: 'the transaction made no deposit of this transfer' };
  const relayHash = hashOf(relay, lane);
  const memory = readMemory(shipment.memory, relayHash);
  const deposit = { lane, relay, originBlock: receipt.blockNumber, shipment, memory };
  const { isFilled, now } = await readDestination(deps, { lane, relayHash, signal });
  if (isFilled) return findFill(deps, deposit, signal);
  if (now > BigInt(relay.fillDeadline)) return findRefund(deps, deposit, signal);
  return { status: 'inFlight', waitingFor: 'DESTINATION', memory };
}

/** The deposit of a transfer among those of a transaction, which may be that of a bundler and make many. */
function depositIn(
  { logs }: TransactionReceipt,
  { lane, shipment }: { readonly lane: Lane; readonly shipment: Shipment },
): RelayData | undefined {
  const { origin, destination } = lane;
  const { request, quote, sender, recipient } = shipment;
  const receivers = [recipient, destination.across.multicallHandler ?? recipient].map(toWord);
  const deposits = parseEventLogs({ abi: spokePoolAbi, eventName: 'FundsDeposited', logs })
    .filter(({ address }) => address.toLowerCase() === origin.across.spokePool.toLowerCase())
    .map(({ args }) => ({ ...args, originChainId: BigInt(origin.chain.chainId) }));
  return deposits.find(
    (deposit) =>
      deposit.depositor === toWord(request.refundAddress ?? sender) &&
      receivers.includes(deposit.recipient) &&
      deposit.inputToken === toWord(origin.token) &&
      deposit.outputToken === toWord(destination.token) &&
      deposit.inputAmount === quote.amountIn &&
      deposit.destinationChainId === BigInt(destination.chain.chainId),
  );
}

const hashOf = (relay: RelayData, { destination }: Lane): Hex =>
  keccak256(encodeAbiParameters(relayHashParameters, [relay, BigInt(destination.chain.chainId)]));

interface DestinationQuestion {
  readonly lane: Lane;
  readonly relayHash: Hex;
  readonly signal: AbortSignal;
}

/** State and clock of one block: a fill that is not there when the deadline has passed will never be. */
async function readDestination({ rpc }: FollowDeps, { lane, relayHash, signal }: DestinationQuestion) {
  const { chain, across } = lane.destination;
  const pool = { address: across.spokePool, abi: spokePoolAbi };
  const [status, now] = await rpc.multicall(
    chain.chainId,
    [
      contractRead({ ...pool, functionName: 'fillStatuses', args: [relayHash] }),
      contractRead({ ...pool, functionName: 'getCurrentTime', args: [] }),
    ],
    { signal },
  );
  if (status === undefined || now === undefined) throw serviceError('BRIDGE_API_ERROR');
  return { isFilled: status === FILLED, now };
}
