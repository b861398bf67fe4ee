import { encodeAbiParameters, type Hex, keccak256, parseEventLogs, type TransactionReceipt } from 'viem';
import { serviceError } from '../../../errors/service-error';
import { contractRead } from '../../../rpc/contract-read';
import type { DeliveryState, BridgeTransfer } from '../../delivery-source';
import { findFill } from './find-fill';
import { findRefund } from './find-refund';
import type { DepositFollowDeps, RelayData } from './deposit';
import { type AcrossRoute, acrossRoute } from './across-route';
import { readDepositCheckpoint } from './checkpoint';
import { requestReceipt } from '../../../rpc/search-logs';
import { FILLED, relayHashParameters, spokePoolAbi, toWord } from './spoke-pool';
import { isSameAddress } from '../../../chains/addresses';

/**
 * Reports the state of a deposit from the chains. The API only helps to find transactions and may be down.
 *
 * @throws PROVIDER_UNAVAILABLE when an RPC node does not respond, BRIDGE_API_ERROR when the SpokePool call fails or the
 * route is no longer configured
 */
export async function followDeposit(
  deps: DepositFollowDeps,
  transfer: BridgeTransfer,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const route = acrossRoute(transfer.request);
  // A deposit of a route that is no longer configured is still filled, but cannot be verified.
  if (route === undefined) throw serviceError('BRIDGE_API_ERROR');
  if (transfer.originTxHash === undefined) return { status: 'inFlight', waitingFor: 'DEPOSIT' };
  const receipt = await requestReceipt(deps.rpc, {
    chainId: route.origin.chain.chainId,
    txHash: transfer.originTxHash,
  });
  if (receipt === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  const relay = depositIn(receipt, { route, transfer });
  if (relay === undefined) return { status: 'failed', reason: 'the transaction made no deposit of this transfer' };
  const relayHash = hashOf(relay, route);
  const checkpoint = readDepositCheckpoint(transfer.checkpoint, relayHash);
  const deposit = { route, relay, originBlock: receipt.blockNumber, transfer, checkpoint };
  const { isFilled, now } = await readDestination(deps, { route, relayHash, signal });
  if (isFilled) return findFill(deps, deposit, signal);
  if (now > BigInt(relay.fillDeadline)) return findRefund(deps, deposit, signal);
  return { status: 'inFlight', waitingFor: 'DESTINATION', checkpoint };
}

/** The deposit of a transfer. A bundled transaction may make several deposits. */
function depositIn(
  { logs }: TransactionReceipt,
  { route, transfer }: { readonly route: AcrossRoute; readonly transfer: BridgeTransfer },
): RelayData | undefined {
  const { origin, destination } = route;
  const { request, quote, sender, recipient } = transfer;
  const receivers = [recipient, destination.across.multicallHandler ?? recipient].map(toWord);
  const deposits = parseEventLogs({ abi: spokePoolAbi, eventName: 'FundsDeposited', logs })
    .filter(({ address }) => isSameAddress(address, origin.across.spokePool))
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

const hashOf = (relay: RelayData, { destination }: AcrossRoute): Hex =>
  keccak256(encodeAbiParameters(relayHashParameters, [relay, BigInt(destination.chain.chainId)]));

interface DestinationQuery {
  readonly route: AcrossRoute;
  readonly relayHash: Hex;
  readonly signal: AbortSignal;
}

/** Reads fill status and clock of one block: a deposit unfilled after its deadline is never filled. */
async function readDestination({ rpc }: DepositFollowDeps, { route, relayHash, signal }: DestinationQuery) {
  const { chain, across } = route.destination;
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
