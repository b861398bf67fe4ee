import { type Hex, parseEventLogs, type TransactionReceipt } from 'viem';
import { toBaseUnits } from '../../../money/base-units';
import { blockAt, isFinal, requestReceipt, searchLogs } from '../../../rpc/search-logs';
import type { DeliveryState } from '../../delivery-source';
import { toWord } from './burn-message';
import { messageTransmitterAbi, tokenMessengerAbi } from './contracts';
import type { CctpBurn, BurnFollowDeps } from './burn';
import type { CctpEndpoint } from './cctp-route';
import type { BurnCheckpoint } from './checkpoint';
import { isSameAddress } from '../../../chains/addresses';

/** Maximum difference between the clocks of two chains, in seconds. */
const CLOCK_SKEW = 600n;

/** Finds the transaction that minted a burn, sent by any account, and the minted amount. */
export async function findMint(deps: BurnFollowDeps, burn: CctpBurn, nonce: Hex): Promise<DeliveryState> {
  const { receipt, checkpoint } = await locateMint(deps, burn, nonce);
  if (receipt === undefined) return { status: 'inFlight', waitingFor: 'DESTINATION', checkpoint };
  const { chain } = burn.route.destination;
  const { transactionHash: txHash, blockNumber } = receipt;
  if (!(await isFinal(deps.rpc, { chain, blockNumber })))
    return { status: 'inFlight', waitingFor: 'CONFIRMATIONS', checkpoint: { ...checkpoint, mintTxHash: txHash } };
  const minted = amountIn(receipt, burn, nonce);
  const amount = minted === undefined ? undefined : toBaseUnits(minted);
  const { minAmountOut } = burn.transfer.quote;
  return { status: 'delivered', txHash, amount, partial: amount === undefined || amount < minAmountOut };
}

interface FoundMint {
  readonly receipt: TransactionReceipt | undefined;
  readonly checkpoint: BurnCheckpoint;
}

async function locateMint(deps: BurnFollowDeps, burn: CctpBurn, nonce: Hex): Promise<FoundMint> {
  const { checkpoint } = burn;
  const known = checkpoint.mintTxHash === undefined ? undefined : await receiptAt(deps, burn, checkpoint.mintTxHash);
  if (known !== undefined && receivedIn(known, burn.route.destination, nonce) !== undefined)
    return { receipt: known, checkpoint };
  const { found, searchFrom } = await search(deps, burn, nonce);
  const receipt = found === undefined ? undefined : await receiptAt(deps, burn, found);
  return { receipt, checkpoint: { ...checkpoint, searchFrom: searchFrom.toString() } };
}

const receiptAt = ({ rpc }: BurnFollowDeps, { route }: CctpBurn, txHash: string) =>
  requestReceipt(rpc, { chainId: route.destination.chain.chainId, txHash });

async function search(deps: BurnFollowDeps, burn: CctpBurn, nonce: Hex) {
  const { checkpoint, route } = burn;
  const { chain, cctp } = route.destination;
  const fromBlock =
    checkpoint.searchFrom === undefined ? await firstSearchBlock(deps, burn) : BigInt(checkpoint.searchFrom);
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

/** The destination's block at the time of the burn. Mints cannot be earlier. */
async function firstSearchBlock({ rpc }: BurnFollowDeps, { route, blockNumber }: CctpBurn): Promise<bigint> {
  const { timestamp } = await rpc.request(route.origin.chain.chainId, (client) =>
    client.getBlock({ blockNumber, includeTransactions: false }),
  );
  return blockAt(rpc, { chainId: route.destination.chain.chainId, timestamp: timestamp - CLOCK_SKEW });
}

/** Log index of the received message in a transaction. */
function receivedIn({ logs }: TransactionReceipt, { cctp }: CctpEndpoint, nonce: Hex): number | undefined {
  const received = parseEventLogs({ abi: messageTransmitterAbi, eventName: 'MessageReceived', logs });
  const own = received.find(
    ({ address, args }) => isSameAddress(address, cctp.messageTransmitter) && args.nonce === nonce,
  );
  return own?.logIndex;
}

/** Minted USDC of the recipient. A transaction may receive many messages; each mint precedes its MessageReceived event. */
function amountIn(receipt: TransactionReceipt, { route, sent }: CctpBurn, nonce: Hex): bigint | undefined {
  const { cctp } = route.destination;
  const end = receivedIn(receipt, route.destination, nonce);
  if (end === undefined) return undefined;
  const mint = parseEventLogs({ abi: tokenMessengerAbi, eventName: 'MintAndWithdraw', logs: receipt.logs })
    .filter(({ address, logIndex }) => isSameAddress(address, cctp.tokenMessenger) && logIndex < end)
    .at(-1);
  if (mint === undefined || toWord(mint.args.mintRecipient) !== sent.mintRecipient) return undefined;
  return isSameAddress(mint.args.mintToken, cctp.usdc) ? mint.args.amount : undefined;
}
