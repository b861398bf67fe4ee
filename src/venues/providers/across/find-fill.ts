import { erc20Abi, keccak256, type Log, parseEventLogs, type TransactionReceipt } from 'viem';
import { toBaseUnits } from '../../../money/base-units';
import type { DeliveryState } from '../../delivery-source';
import type { DepositFollowDeps, AcrossDeposit, RelayData } from './deposit';
import { blockAt, isFinal, requestReceipt, searchLogs } from '../../../rpc/search-logs';
import { spokePoolAbi, toWord } from './spoke-pool';
import { fetchDepositStatus } from './swap-api';
import { isSameAddress } from '../../../chains/addresses';

/** Maximum difference between the clocks of two chains, in seconds. */
const CLOCK_SKEW = 600n;

/**
 * Finds the fill of a deposit that the destination chain marks as filled. A fill may pay out less than the output amount,
 * when its depositor signed a lower one or it was a slow fill.
 */
export async function findFill(
  deps: DepositFollowDeps,
  deposit: AcrossDeposit,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { chain } = deposit.route.destination;
  const hash = deposit.checkpoint.fillTxHash ?? (await requestFillHash(deps, deposit, signal));
  const reported = hash === undefined ? undefined : await readFill(deps, deposit, hash);
  const { fill, checkpoint } =
    reported === undefined ? await search(deps, deposit) : { fill: reported, checkpoint: deposit.checkpoint };
  if (fill === undefined) return { status: 'inFlight', waitingFor: 'DESTINATION', checkpoint };
  const { receipt, info } = fill;
  if (!(await isFinal(deps.rpc, { chain, blockNumber: receipt.blockNumber }))) {
    const found = { ...checkpoint, fillTxHash: receipt.transactionHash };
    return { status: 'inFlight', waitingFor: 'CONFIRMATIONS', checkpoint: found };
  }
  const amount = toBaseUnits(info.updatedOutputAmount);
  const isLess = amount < deposit.transfer.quote.minAmountOut;
  const isOtherRecipient = info.updatedRecipient !== deposit.relay.recipient;
  const partial = isLess || isOtherRecipient || !isBoughtAsset(deposit, fill);
  return { status: 'delivered', txHash: receipt.transactionHash, amount, partial };
}

interface Fill {
  readonly receipt: TransactionReceipt;
  readonly info: { readonly updatedRecipient: string; readonly updatedOutputAmount: bigint };
}

/** Transaction hash of the fill as reported by the API, to be verified on chain. */
async function requestFillHash({ http }: DepositFollowDeps, { relay }: AcrossDeposit, signal: AbortSignal) {
  const { depositId, originChainId } = relay;
  const id = { depositId, originChainId: Number.parseInt(originChainId.toString(), 10) };
  const status = await fetchDepositStatus(http, id, signal).catch(() => undefined);
  const hash = status?.fillTxnRef ?? undefined;
  return hash !== undefined && /^0x[0-9a-fA-F]{64}$/.test(hash) ? hash : undefined;
}

async function readFill({ rpc }: DepositFollowDeps, deposit: AcrossDeposit, txHash: string): Promise<Fill | undefined> {
  const { chainId } = deposit.route.destination.chain;
  const receipt = await requestReceipt(rpc, { chainId, txHash });
  const info = receipt === undefined ? undefined : fillIn(receipt.logs, deposit);
  return receipt === undefined || info === undefined ? undefined : { receipt, info };
}

async function search(deps: DepositFollowDeps, deposit: AcrossDeposit) {
  const { route, relay, checkpoint } = deposit;
  const { chainId } = route.destination.chain;
  const fromBlock =
    checkpoint.fillSearchFrom === undefined ? await firstSearchBlock(deps, deposit) : BigInt(checkpoint.fillSearchFrom);
  const { found, next } = await searchLogs(deps.rpc, {
    chainId,
    fromBlock,
    find: async (client, range) => {
      const args = { originChainId: relay.originChainId, depositId: relay.depositId };
      const address = route.destination.across.spokePool;
      const event = { abi: spokePoolAbi, eventName: 'FilledRelay', address, args } as const;
      const logs = await client.getContractEvents({ ...event, ...range, strict: true });
      return logs.find((log) => fillIn([log], deposit) !== undefined)?.transactionHash;
    },
  });
  const fill = found === undefined ? undefined : await readFill(deps, deposit, found);
  return { fill, checkpoint: { ...checkpoint, fillSearchFrom: next.toString() } };
}

/** The destination's block at the time of the deposit. Fills cannot be earlier. */
async function firstSearchBlock({ rpc }: DepositFollowDeps, { route, originBlock }: AcrossDeposit): Promise<bigint> {
  const { timestamp } = await rpc.request(route.origin.chain.chainId, (client) =>
    client.getBlock({ blockNumber: originBlock, includeTransactions: false }),
  );
  return blockAt(rpc, { chainId: route.destination.chain.chainId, timestamp: timestamp - CLOCK_SKEW });
}

/** The fill of this deposit. Other deposits may have the same id. */
function fillIn(logs: readonly Log[], { route, relay }: AcrossDeposit): Fill['info'] | undefined {
  const fills = parseEventLogs({ abi: spokePoolAbi, eventName: 'FilledRelay', logs: [...logs] });
  const own = fills.find(
    ({ address, args }) =>
      isSameAddress(address, route.destination.across.spokePool) &&
      SAME.every((name) => args[name] === relay[name]) &&
      (relay.message === '0x' || args.messageHash === keccak256(relay.message)),
  );
  return own?.args.relayExecutionInfo;
}

const SAME = [
  ...(['originChainId', 'depositId', 'depositor', 'recipient', 'inputToken', 'outputToken', 'inputAmount'] as const),
  ...(['outputAmount', 'fillDeadline', 'exclusivityDeadline', 'exclusiveRelayer'] as const),
] satisfies readonly (keyof RelayData)[];

/**
 * The SpokePool pays out the native coin to accounts and the wrapped coin to contracts, and a recipient may become a
 * contract after the quote. Checks that the paid asset is the bought one.
 */
function isBoughtAsset({ route, transfer }: AcrossDeposit, { receipt, info }: Fill): boolean {
  const { token, isNative } = route.destination;
  const gotToken = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs }).some(
    ({ address, args }) =>
      isSameAddress(address, token) &&
      toWord(args.to) === toWord(transfer.recipient) &&
      args.value >= info.updatedOutputAmount,
  );
  return gotToken !== isNative;
}
