import { type Hex, parseEventLogs, type TransactionReceipt } from 'viem';
import { toBaseUnits } from '../../../money/base-units';
import { blockAt, isFinal, requestReceipt, searchLogs } from '../../../rpc/search-logs';
import type { DeliveryState } from '../../delivery-source';
import { toWord } from './burn-message';
import { messageTransmitterAbi, tokenMessengerAbi } from './contracts';
import type { Burn, FollowDeps } from './followed-burn';
import type { LaneEnd } from './lane';
import type { Memory } from './memory';

/** Clocks of two chains may differ by so many seconds. */
const CLOCK_SKEW = 600n;

/** The transaction that minted what was burned, whoever sent it, and what it minted. */
export async function findMint(deps: FollowDeps, burn: Burn, nonce: Hex): Promise<DeliveryState> {
  const { receipt, memory } = await mintOf(deps, burn, nonce);
  if (receipt === undefined) return { status: 'inFlight', waitingFor: 'DESTINATION', memory };
  const { chain } = burn.lane.destination;
  const { transactionHash: txHash, blockNumber } = receipt;
  if (!(await isFinal(deps.rpc, { chain, blockNumber })))
    return { status: 'inFlight', waitingFor: 'CONFIRMATIONS', memory: { ...memory, mintTxHash: txHash } };
  const minted = amountIn(receipt, burn, nonce);
  const amount = minted === undefined ? undefined : toBaseUnits(minted);
  const { minAmountOut } = burn.shipment.quote;
  return { status: 'delivered', txHash, amount, partial: amount === undefined || amount < minAmountOut };
}

interface FoundMint {
  readonly receipt: TransactionReceipt | undefined;
  readonly memory: Memory;
}

async function mintOf(deps: FollowDeps, burn: Burn, nonce: Hex): Promise<FoundMint> {
  const { memory } = burn;
  const known = memory.mintTxHash === undefined ? undefined : await receiptAt(deps, burn, memory.mintTxHash);
  if (known !== undefined && receivedIn(known, burn.lane.destination, nonce) !== undefined)
    return { receipt: known, memory };
  const { found, searchFrom } = await search(deps, burn, nonce);
  const receipt = found === undefined ? undefined : await receiptAt(deps, burn, found);
  return { receipt, memory: { ...memory, searchFrom: searchFrom.toString() } };
}

const receiptAt = ({ rpc }: FollowDeps, { lane }: Burn, txHash: string) =>
  requestReceipt(rpc, { chainId: lane.destination.chain.chainId, txHash });

async function search(deps: FollowDeps, burn: Burn, nonce: Hex) {
  const { memory, lane } = burn;
  const { chain, cctp } = lane.destination;
  const fromBlock = memory.searchFrom === undefined ? await startOf(deps, burn) : BigInt(memory.searchFrom);
  const { found, next } = await searchLogs(deps.rpc, {
    chainId: chain.chainId,
    fromBlock,
    find: async (client, range) => {
      const event = {
        abi: messageTransmitterAbi,
        eventName: 'MessageReceived',
        address: cctp.messageTransmitter,
      } as const;
      const [log] = await client.getContractEvents({ ...event, ...range, args: { nonce }, strict: true });
      return log?.transactionHash;
    },
  });
  return { found, searchFrom: next };
}

/** The destination's block at the time of the burn: nothing can have been minted before. */
async function startOf({ rpc }: FollowDeps, { lane, blockNumber }: Burn): Promise<bigint> {
  const { timestamp } = await rpc.ask(lane.origin.chain.chainId, (client) =>
    client.getBlock({ blockNumber, includeTransactions: false }),
  );
  return blockAt(rpc, { chainId: lane.destination.chain.chainId, timestamp: timestamp - CLOCK_SKEW });
}

/** Where in a transaction the message was received. */
function receivedIn({ logs }: TransactionReceipt, { cctp }: LaneEnd, nonce: Hex): number | undefined {
  const received = parseEventLogs({ abi: messageTransmitterAbi, eventName: 'MessageReceived', logs });
  const own = received.find(({ address, args }) => isSame(address, cctp.messageTransmitter) && args.nonce === nonce);
  return own?.logIndex;
}

/** What the recipient got in USDC: a transaction may receive many messages, and each mints just before it is done. */
function amountIn(receipt: TransactionReceipt, { lane, sent }: Burn, nonce: Hex): bigint | undefined {
  const { cctp } = lane.destination;
  const end = receivedIn(receipt, lane.destination, nonce);
  if (end === undefined) return undefined;
  const mint = parseEventLogs({ abi: tokenMessengerAbi, eventName: 'MintAndWithdraw', logs: receipt.logs })
    .filter(({ address, logIndex }) => isSame(address, cctp.tokenMessenger) && logIndex < end)
    .at(-1);
  if (mint === undefined || toWord(mint.args.mintRecipient) !== sent.mintRecipient) return undefined;
  return isSame(mint.args.mintToken, cctp.usdc) ? mint.args.amount : undefined;
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
