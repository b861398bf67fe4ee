import { encodeFunctionData, getAddress, type Hex, parseAbi, parseEventLogs, type TransactionReceipt } from 'viem';
import { serviceError } from '../../../errors/service-error';
import { contractRead } from '../../../rpc/contract-read';
import { MULTICALL3 } from '../../../rpc/multicall';
import { isFinal, requestReceipt } from '../../../rpc/search-logs';
import type { DeliveryState, BridgeTransfer } from '../../delivery-source';
import type { UnsignedCall } from '../../quote-provider';
import { fetchAttestation, requestReattestation, type AttestedBurn } from './attestation-api';
import { asBridgeApiError } from '../../provider-errors';
import { type BurnMessage, decodeBurnMessage, toWord } from './burn-message';
import { messageTransmitterAbi } from './contracts';
import { findMint } from './find-mint';
import type { CctpBurn, BurnFollowDeps } from './burn';
import { type CctpRoute, cctpRoute } from './cctp-route';
import { readBurnCheckpoint } from './checkpoint';
import { isSameAddress } from '../../../chains/addresses';

/**
 * Reports the state of a burn. Burn and mint are read from the chains; an attestation is accepted only for exactly this
 * burn.
 *
 * @throws PROVIDER_UNAVAILABLE when an RPC node does not respond, BRIDGE_API_ERROR when the attestation service fails or
 * responds with another message, or when the route is no longer configured
 */
export async function followBurn(
  deps: BurnFollowDeps,
  transfer: BridgeTransfer,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const burn = await readBurn(deps, transfer);
  if ('status' in burn) return burn;
  const { checkpoint } = burn;
  if (checkpoint.nonce !== undefined && (await readDestination(deps, { burn, nonce: checkpoint.nonce }, signal)).isUsed)
    return findMint(deps, burn, checkpoint.nonce);
  const attested = await attestationOf(deps, burn, signal);
  if (attested === undefined) {
    const buried = await isBurnFinal(deps, burn);
    return { status: 'inFlight', waitingFor: buried ? 'ATTESTATION' : 'CONFIRMATIONS', checkpoint };
  }
  const { nonce } = attested.burn;
  const known = { ...burn, checkpoint: { ...checkpoint, nonce } };
  const { isUsed, blockNumber } = await readDestination(deps, { burn, nonce }, signal);
  if (isUsed) return findMint(deps, known, nonce);
  if (isExpired(attested, blockNumber)) return reattest(deps, { burn: known, nonce }, signal);
  return { status: 'inFlight', waitingFor: 'COMPLETION', checkpoint: known.checkpoint };
}

/** Builds the call that mints a burn; `undefined` while it cannot succeed, or when it was executed. */
export async function buildCompletion(
  deps: BurnFollowDeps,
  transfer: BridgeTransfer,
  signal: AbortSignal,
): Promise<UnsignedCall | undefined> {
  const burn = await readBurn(deps, transfer);
  if ('status' in burn) return undefined;
  const attested = await attestationOf(deps, burn, signal);
  if (attested === undefined) return undefined;
  const { isUsed, blockNumber } = await readDestination(deps, { burn, nonce: attested.burn.nonce }, signal);
  if (isUsed || isExpired(attested, blockNumber)) return undefined;
  const { chain, cctp } = burn.route.destination;
  const args = [attested.message, attested.attestation] as const;
  const data = encodeFunctionData({ abi: messageTransmitterAbi, functionName: 'receiveMessage', args });
  const from = getAddress(transfer.recipient);
  return { chainId: chain.chainId, from, to: cctp.messageTransmitter, data, value: 0n };
}

async function readBurn(deps: BurnFollowDeps, transfer: BridgeTransfer): Promise<CctpBurn | DeliveryState> {
  const route = cctpRoute(transfer.request);
  // A burn of a route that is no longer configured can still be minted, but cannot be verified.
  if (route === undefined) throw serviceError('BRIDGE_API_ERROR');
  const { originTxHash: transactionHash } = transfer;
  if (transactionHash === undefined) return { status: 'inFlight', waitingFor: 'DEPOSIT' };
  const { chain } = route.origin;
  const receipt = await requestReceipt(deps.rpc, { chainId: chain.chainId, txHash: transactionHash });
  if (receipt === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  const sent = burnIn(receipt, { route, transfer });
  const { blockNumber } = receipt;
  if (sent !== undefined) {
    return {
      route,
      transfer,
      sent,
      transactionHash,
      blockNumber,
      checkpoint: readBurnCheckpoint(transfer.checkpoint, transactionHash),
    };
  }
  // After a reorganisation the transaction may be included again with another outcome.
  return (await isFinal(deps.rpc, { chain, blockNumber }))
    ? { status: 'failed', reason: 'the transaction burned nothing for this transfer' }
    : { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
}

/** The burn of a transfer. A bundled transaction may make several burns. */
function burnIn(
  { logs }: TransactionReceipt,
  { route, transfer }: { readonly route: CctpRoute; readonly transfer: BridgeTransfer },
): BurnMessage | undefined {
  const { origin, destination } = route;
  const { quote, sender, recipient } = transfer;
  return parseEventLogs({ abi: messageTransmitterAbi, eventName: 'MessageSent', logs })
    .filter(({ address }) => isSameAddress(address, origin.cctp.messageTransmitter))
    .flatMap(({ args }) => decodeBurnMessage(args.message) ?? [])
    .find(
      (burn) =>
        burn.sender === toWord(origin.cctp.tokenMessenger) &&
        burn.recipient === toWord(destination.cctp.tokenMessenger) &&
        burn.sourceDomain === origin.cctp.domain &&
        burn.destinationDomain === destination.cctp.domain &&
        burn.burnToken === toWord(origin.cctp.usdc) &&
        burn.messageSender === toWord(sender) &&
        burn.mintRecipient === toWord(recipient) &&
        burn.amount <= quote.maxAmountIn &&
        burn.amount - burn.maxFee >= quote.minAmountOut,
    );
}

async function attestationOf(
  { http }: BurnFollowDeps,
  burn: CctpBurn,
  signal: AbortSignal,
): Promise<AttestedBurn | undefined> {
  try {
    return await fetchAttestation(http, burn, signal);
  } catch (error) {
    throw asBridgeApiError(error);
  }
}

const isBurnFinal = ({ rpc }: BurnFollowDeps, { route, blockNumber }: CctpBurn): Promise<boolean> =>
  isFinal(rpc, { chain: route.origin.chain, blockNumber });

/** A burn and its nonce on the destination chain. */
interface AttestedNonce {
  readonly burn: CctpBurn;
  readonly nonce: Hex;
}

const multicall3 = parseAbi(['function getBlockNumber() view returns (uint256)']);

/**
 * Reads whether the burn was minted, and the block number that contracts of the destination see, which on some chains
 * differs from the number of the chain's own blocks.
 */
async function readDestination({ rpc }: BurnFollowDeps, { burn, nonce }: AttestedNonce, signal: AbortSignal) {
  const { chain, cctp } = burn.route.destination;
  const transmitter = { address: cctp.messageTransmitter, abi: messageTransmitterAbi };
  const [used, blockNumber] = await rpc.multicall(
    chain.chainId,
    [
      contractRead({ ...transmitter, functionName: 'usedNonces', args: [nonce] }),
      contractRead({ address: MULTICALL3, abi: multicall3, functionName: 'getBlockNumber' }),
    ],
    { signal },
  );
  if (used === undefined || blockNumber === undefined) throw serviceError('BRIDGE_API_ERROR');
  return { isUsed: used !== 0n, blockNumber };
}

/** Margin for the blocks until a completing call is mined. */
const BLOCKS_TO_COMPLETE = 5n;

const isExpired = ({ burn: { expirationBlock } }: AttestedBurn, blockNumber: bigint): boolean =>
  expirationBlock !== 0n && expirationBlock <= blockNumber + BLOCKS_TO_COMPLETE;

const REATTEST_INTERVAL_MS = 60_000;

/** Requests a new attestation, at most once per interval. */
async function reattest(
  { http }: BurnFollowDeps,
  { burn, nonce }: AttestedNonce,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const waiting = { status: 'inFlight', waitingFor: 'ATTESTATION' } as const;
  const now = Date.now();
  if (now < (burn.checkpoint.reattestedAt ?? 0) + REATTEST_INTERVAL_MS)
    return { ...waiting, checkpoint: burn.checkpoint };
  try {
    await requestReattestation(http, nonce, signal);
  } catch (error) {
    throw asBridgeApiError(error);
  }
  return { ...waiting, checkpoint: { ...burn.checkpoint, reattestedAt: now } };
}
