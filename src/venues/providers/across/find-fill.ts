import { erc20Abi, keccak256, type Log, parseEventLogs, type TransactionReceipt } from 'viem';
import { toBaseUnits } from '../../../money/base-units';
import type { DeliveryState } from '../../delivery-source';
import type { FollowDeps, FollowedDeposit, RelayData } from './followed-deposit';
import { blockAt, isFinal, requestReceipt, searchLogs } from '../../../rpc/search-logs';
import { spokePoolAbi, toWord } from './spoke-pool';
import { askStatus } from './swap-api';

/** Clocks of two chains may differ by so many seconds. */
const CLOCK_SKEW = 600n;

/**
 * What became of a deposit that the destination counts as filled: the transaction, and what it paid out. A fill may pay
 * out less than the deposit says, when its depositor signed that, or when it was filled slowly.
 */
export async function findFill(
  deps: FollowDeps,
  deposit: FollowedDeposit,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { chain } = deposit.lane.destination;
  const remembered = deposit.memory.fillTxHash ?? (await hintOf(deps, deposit, signal));
  const hinted = remembered === undefined ? undefined : await readFill(deps, deposit, remembered);
  const { fill, memory } =
    hinted === undefined ? await search(deps, deposit) : { fill: hinted, memory: deposit.memory };
  if (fill === undefined) return { status: 'inFlight', waitingFor: 'DESTINATION', memory };
  const { receipt, info } = fill;
  if (!(await isFinal(deps.rpc, { chain, blockNumber: receipt.blockNumber }))) {
    const found = { ...memory, fillTxHash: receipt.transactionHash };
    return { status: 'inFlight', waitingFor: 'CONFIRMATIONS', memory: found };
  }
  const amount = toBaseUnits(info.updatedOutputAmount);
  const isLess = amount < deposit.shipment.quote.minAmountOut;
  const elsewhere = info.updatedRecipient !== deposit.relay.recipient;
  const partial = isLess || elsewhere || !isWhatWasBought(deposit, fill);
  return { status: 'delivered', txHash: receipt.transactionHash, amount, partial };
}

interface Fill {
  readonly receipt: TransactionReceipt;
  readonly info: { readonly updatedRecipient: string; readonly updatedOutputAmount: bigint };
}

/** What the API says about the fill. It may be wrong, late or down: what it names is read from the chain. */
async function hintOf({ http }: FollowDeps, { relay }: FollowedDeposit, signal: AbortSignal) {
  const { depositId, originChainId } = relay;
  const id = { depositId, originChainId: Number.parseInt(originChainId.toString(), 10) };
  const status = await askStatus(http, id, signal).catch(() => undefined);
  const hash = status?.fillTxnRef ?? undefined;
  return hash !== undefined && /^0x[0-9a-fA-F]{64}$/.test(hash) ? hash : undefined;
}

async function readFill({ rpc }: FollowDeps, deposit: FollowedDeposit, txHash: string): Promise<Fill | undefined> {
  const { chainId } = deposit.lane.destination.chain;
  const receipt = await requestReceipt(rpc, { chainId, txHash });
  const info = receipt === undefined ? undefined : fillIn(receipt.logs, deposit);
  return receipt === undefined || info === undefined ? undefined : { receipt, info };
}

async function search(deps: FollowDeps, deposit: FollowedDeposit) {
  const { lane, relay, memory } = deposit;
  const { chainId } = lane.destination.chain;
  const fromBlock = memory.fillSearchFrom === undefined ? await startOf(deps, deposit) : BigInt(memory.fillSearchFrom);
  const { found, next } = await searchLogs(deps.rpc, {
    chainId,
    fromBlock,
    find: async (client, range) => {
      const args = { originChainId: relay.originChainId, depositId: relay.depositId };
      const address = lane.destination.across.spokePool;
      const event = { abi: spokePoolAbi, eventName: 'FilledRelay', address, args } as const;
      const logs = await client.getContractEvents({ ...event, ...range, strict: true });
      return logs.find((log) => fillIn([log], deposit) !== undefined)?.transactionHash;
    },
  });
  const fill = found === undefined ? undefined : await readFill(deps, deposit, found);
  return { fill, memory: { ...memory, fillSearchFrom: next.toString() } };
}

/** The destination's block at the time of the deposit: it cannot have been filled before. */
async function startOf({ rpc }: FollowDeps, { lane, originBlock }: FollowedDeposit): Promise<bigint> {
  const { timestamp } = await rpc.ask(lane.origin.chain.chainId, (client) =>
    client.getBlock({ blockNumber: originBlock, includeTransactions: false }),
  );
  return blockAt(rpc, { chainId: lane.destination.chain.chainId, timestamp: timestamp - CLOCK_SKEW });
}

/** The fill of this deposit, not of another with the same number. */
function fillIn(logs: readonly Log[], { lane, relay }: FollowedDeposit): Fill['info'] | undefined {
  const fills = parseEventLogs({ abi: spokePoolAbi, eventName: 'FilledRelay', logs: [...logs] });
  const own = fills.find(
    ({ address, args }) =>
      address.toLowerCase() === lane.destination.across.spokePool.toLowerCase() &&
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
 * The SpokePool pays out the wrapped coin as coin to accounts and wrapped to contracts, and what a recipient is can
 * change after the quote: whoever bought coin must not have got the token, and the other way round.
 */
function isWhatWasBought({ lane, shipment }: FollowedDeposit, { receipt, info }: Fill): boolean {
  const { token, isNative } = lane.destination;
  const gotToken = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs }).some(
    ({ address, args }) =>
      address.toLowerCase() === token.toLowerCase() &&
      toWord(args.to) === toWord(shipment.recipient) &&
      args.value >= info.updatedOutputAmount,
  );
  return gotToken !== isNative;
}
