import { erc20Abi, type Log, parseEventLogs, type TransactionReceipt } from 'viem';
import { toBaseUnits } from '../../../money/base-units';
import type { DeliveryState } from '../../delivery-source';
import type { FollowDeps, FollowedDeposit } from './followed-deposit';
import { blockAt, isFinal, requestReceipt, searchLogs } from '../../../rpc/search-logs';
import { spokePoolAbi, toWord } from './spoke-pool';
import { askStatus, type DepositStatus } from './swap-api';

const REASON = 'nobody delivered before the deadline of the deposit';

/**
 * What became of a deposit that expired: Across pays it back on its origin, with the next bundle of refunds. A bundle
 * does not name deposits, only who gets how much of a token, so the API is asked first which one it was.
 */
export async function findRefund(
  deps: FollowDeps,
  deposit: FollowedDeposit,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { lane, relay, memory } = deposit;
  const { chain } = lane.origin;
  const status = await statusOf(deps, deposit, signal);
  const named = status?.depositRefundTxnRef ?? undefined;
  const hinted = named === undefined ? undefined : await readRefund(deps, deposit, named);
  const searches = hinted === undefined && !isWaiting(status);
  const { receipt, left } = searches ? await search(deps, deposit) : { receipt: hinted, left: memory };
  const isPaid = receipt !== undefined && (await isFinal(deps.rpc, { chain, blockNumber: receipt.blockNumber }));
  if (!isPaid) return { status: 'refunding', reason: REASON, memory: left };
  return {
    status: 'refunded',
    chainId: chain.chainId,
    txHash: receipt.transactionHash,
    amount: toBaseUnits(relay.inputAmount),
    reason: lane.origin.isNative ? `${REASON}; paid back as the wrapped coin` : REASON,
  };
}

/** Refunds come some hours after the deadline: while the API knows of none, equal ones would be of other deposits. */
const isWaiting = (status: DepositStatus | undefined): boolean =>
  status !== undefined && ['expired', 'pending', 'slowFillRequested'].includes(status.status);

async function statusOf({ http }: FollowDeps, { relay }: FollowedDeposit, signal: AbortSignal) {
  const { depositId, originChainId } = relay;
  const id = { depositId, originChainId: Number.parseInt(originChainId.toString(), 10) };
  return askStatus(http, id, signal).catch(() => undefined);
}

async function readRefund({ rpc }: FollowDeps, deposit: FollowedDeposit, txHash: string) {
  if (!/^0x[0-9a-fA-F]{64}$/.test(txHash)) return undefined;
  const receipt = await requestReceipt(rpc, { chainId: deposit.lane.origin.chain.chainId, txHash });
  return receipt !== undefined && paysBack(receipt, deposit) ? receipt : undefined;
}

async function search(deps: FollowDeps, deposit: FollowedDeposit) {
  const { lane, relay, memory, originBlock } = deposit;
  const { chainId } = lane.origin.chain;
  const afterDeadline = { chainId, timestamp: BigInt(relay.fillDeadline) };
  const start = memory.refundSearchFrom === undefined ? await blockAt(deps.rpc, afterDeadline) : undefined;
  const fromBlock = start ?? BigInt(memory.refundSearchFrom ?? originBlock);
  const { found, next } = await searchLogs(deps.rpc, {
    chainId,
    fromBlock,
    find: async (client, range) => {
      const event = { abi: spokePoolAbi, eventName: 'ExecutedRelayerRefundRoot' } as const;
      const address = lane.origin.across.spokePool;
      const logs = await client.getContractEvents({ ...event, address, ...range, strict: true });
      for (const log of logs.filter((candidate) => isRefundOf([candidate], deposit))) {
        const receipt = await client.getTransactionReceipt({ hash: log.transactionHash });
        if (paysBack(receipt, deposit)) return receipt;
      }
      return undefined;
    },
  });
  return { receipt: found, left: { ...memory, refundSearchFrom: next.toString() } };
}

/** A transfer that the token refuses is only written down for later: the tokens must have moved. */
const paysBack = (receipt: TransactionReceipt, deposit: FollowedDeposit): boolean =>
  isRefundOf(receipt.logs, deposit) &&
  parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs }).some(
    ({ address, args }) =>
      toWord(address) === deposit.relay.inputToken &&
      toWord(args.from) === toWord(deposit.lane.origin.across.spokePool) &&
      toWord(args.to) === deposit.relay.depositor &&
      args.value >= deposit.relay.inputAmount,
  );

/** What a depositor is paid for several deposits of one bundle comes in one sum. */
const isRefundOf = (logs: readonly Log[], { lane, relay }: FollowedDeposit): boolean =>
  parseEventLogs({ abi: spokePoolAbi, eventName: 'ExecutedRelayerRefundRoot', logs: [...logs] }).some(
    ({ address, args }) =>
      toWord(address) === toWord(lane.origin.across.spokePool) &&
      toWord(args.l2TokenAddress) === relay.inputToken &&
      args.refundAddresses.some(
        (refundAddress, index) =>
          toWord(refundAddress) === relay.depositor && (args.refundAmounts[index] ?? 0n) >= relay.inputAmount,
      ),
  );
