import { encodeFunctionData, getAddress, type Hex, parseAbi, parseEventLogs, type TransactionReceipt } from 'viem';
import { serviceError } from '../../../errors/service-error';
import { contractRead } from '../../../rpc/contract-read';
import { MULTICALL3 } from '../../../rpc/multicall';
import { isFinal, requestReceipt } from '../../../rpc/search-logs';
import type { DeliveryState, Shipment } from '../../delivery-source';
import type { UnsignedCall } from '../../quote-provider';
import { askAttestation, askReattestation, type Attested, bridgeFailed } from './attestation-api';
import { type BurnMessage, decodeBurnMessage, toWord } from './burn-message';
import { messageTransmitterAbi } from './contracts';
import { findMint } from './find-mint';
import type { Burn, FollowDeps } from './followed-burn';
import { type Lane, laneOf } from './lane';
import { readMemory } from './memory';

/**
 * Where a burn is. The chains tell what was burned and what was minted; the attestation service hands out signatures, for
 * exactly what was burned or not at all.
 *
 * @throws PROVIDER_UNAVAILABLE when a chain could not be asked, BRIDGE_API_ERROR when the service could not, or answers
 * with something else, and when the protocol is not configured for the route any more
 */
export async function followBurn(deps: FollowDeps, shipment: Shipment, signal: AbortSignal): Promise<DeliveryState> {
  const burn = await readBurn(deps, shipment);
  if ('status' in burn) return burn;
  const { memory } = burn;
  if (memory.nonce !== undefined && (await readDestination(deps, { burn, nonce: memory.nonce }, signal)).isUsed)
    return findMint(deps, burn, memory.nonce);
  const attested = await attestationOf(deps, burn, signal);
  if (attested === undefined) {
    const buried = await isBuried(deps, burn);
    return { status: 'inFlight', waitingFor: buried ? 'ATTESTATION' : 'CONFIRMATIONS', memory };
  }
  const { nonce } = attested.burn;
  const known = { ...burn, memory: { ...memory, nonce } };
  const { isUsed, blockNumber } = await readDestination(deps, { burn, nonce }, signal);
  if (isUsed) return findMint(deps, known, nonce);
  if (isOver(attested, blockNumber)) return renew(deps, { burn: known, nonce }, signal);
  return { status: 'inFlight', waitingFor: 'COMPLETION', memory: known.memory };
}

/** The call that mints what was burned; `undefined` while it cannot succeed, or when it has been made. */
export async function completionOf(
  deps: FollowDeps,
  shipment: Shipment,
  signal: AbortSignal,
): Promise<UnsignedCall | undefined> {
  const burn = await readBurn(deps, shipment);
  if ('status' in burn) return undefined;
  const attested = await attestationOf(deps, burn, signal);
  if (attested === undefined) return undefined;
  const { isUsed, blockNumber } = await readDestination(deps, { burn, nonce: attested.burn.nonce }, signal);
  if (isUsed || isOver(attested, blockNumber)) return undefined;
  const { chain, cctp } = burn.lane.destination;
  const args = [attested.message, attested.attestation] as const;
  const data = encodeFunctionData({ abi: messageTransmitterAbi, functionName: 'receiveMessage', args });
  const from = getAddress(shipment.recipient);
  return { chainId: chain.chainId, from, to: cctp.messageTransmitter, data, value: 0n };
}

async function readBurn(deps: FollowDeps, shipment: Shipment): Promise<Burn | DeliveryState> {
  const lane = laneOf(shipment.request);
  // The configuration has left it out: what was burned can be minted all the same, and nobody can say so now.
  if (lane === undefined) throw serviceError('BRIDGE_API_ERROR');
  const { originTxHash: transactionHash } = shipment;
  if (transactionHash === undefined) return { status: 'inFlight', waitingFor: 'DEPOSIT' };
  const { chain } = lane.origin;
  const receipt = await requestReceipt(deps.rpc, { chainId: chain.chainId, txHash: transactionHash });
  if (receipt === undefined) return { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
  const sent = burnIn(receipt, { lane, shipment });
  const { blockNumber } = receipt;
  if (sent !== undefined) {
    return { lane, shipment, sent, transactionHash, blockNumber, memory: readMemory(shipment.memory, transactionHash) };
  }
  // Another block may still hold the transaction with another outcome.
  return (await isFinal(deps.rpc, { chain, blockNumber }))
    ? { status: 'failed', reason: 'the transaction burned nothing for this transfer' }
    : { status: 'inFlight', waitingFor: 'CONFIRMATIONS' };
}

/** The burn of a transfer among those of a transaction, which may be that of a bundler and make many. */
function burnIn(
  { logs }: TransactionReceipt,
  { lane, shipment }: { readonly lane: Lane; readonly shipment: Shipment },
): BurnMessage | undefined {
  const { origin, destination } = lane;
  const { quote, sender, recipient } = shipment;
  return parseEventLogs({ abi: messageTransmitterAbi, eventName: 'MessageSent', logs })
    .filter(({ address }) => address.toLowerCase() === origin.cctp.messageTransmitter.toLowerCase())
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

async function attestationOf({ http }: FollowDeps, burn: Burn, signal: AbortSignal): Promise<Attested | undefined> {
  try {
    return await askAttestation(http, burn, signal);
  } catch (error) {
    throw bridgeFailed(error);
  }
}

const isBuried = ({ rpc }: FollowDeps, { lane, blockNumber }: Burn): Promise<boolean> =>
  isFinal(rpc, { chain: lane.origin.chain, blockNumber });

/** A burn, and the nonce by which the destination knows it. */
interface KnownBurn {
  readonly burn: Burn;
  readonly nonce: Hex;
}

const multicall3 = parseAbi(['function getBlockNumber() view returns (uint256)']);

/**
 * Whether the burn was minted, and the block number as contracts of the destination see it, which is not everywhere that
 * of the chain's own blocks.
 */
async function readDestination({ rpc }: FollowDeps, { burn, nonce }: KnownBurn, signal: AbortSignal) {
  const { chain, cctp } = burn.lane.destination;
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

/** A completing call takes a few blocks to be mined. */
const BLOCKS_TO_COMPLETE = 5n;

const isOver = ({ burn: { expirationBlock } }: Attested, blockNumber: bigint): boolean =>
  expirationBlock !== 0n && expirationBlock <= blockNumber + BLOCKS_TO_COMPLETE;

const ASK_AGAIN_MS = 60_000;

/** Asks for a new attestation, and not again with every look. */
async function renew({ http }: FollowDeps, { burn, nonce }: KnownBurn, signal: AbortSignal): Promise<DeliveryState> {
  const waiting = { status: 'inFlight', waitingFor: 'ATTESTATION' } as const;
  const now = Date.now();
  if (now < (burn.memory.reattestedAt ?? 0) + ASK_AGAIN_MS) return { ...waiting, memory: burn.memory };
  try {
    await askReattestation(http, nonce, signal);
  } catch (error) {
    throw bridgeFailed(error);
  }
  return { ...waiting, memory: { ...burn.memory, reattestedAt: now } };
}
