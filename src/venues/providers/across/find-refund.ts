import { erc20Abi, type Log, parseEventLogs, type TransactionReceipt } from 'viem';
import { toBaseUnits } from '../../../money/base-units';
import type { DeliveryState } from '../../delivery-source';
import type { DepositFollowDeps, AcrossDeposit } from './deposit';
import { blockAt, isFinal, requestReceipt, searchLogs } from '../../../rpc/search-logs';
import { spokePoolAbi, toWord } from './spoke-pool';
import { fetchDepositStatus, type DepositStatus } from './swap-api';

const REASON = 'no relayer delivered before the deadline of the deposit';

/**
 * Finds the refund of an expired deposit. Across refunds on the origin chain with the next bundle. A bundle lists
 * recipients and amounts but no deposits, so the API is queried first.
 */
export async function findRefund(
  deps: DepositFollowDeps,
  deposit: AcrossDeposit,
  signal: AbortSignal,
): Promise<DeliveryState> {
  const { route, relay, checkpoint } = deposit;
  const { chain } = route.origin;
  const status = await requestStatus(deps, deposit, signal);
  const named = status?.depositRefundTxnRef ?? undefined;
  const reported = named === undefined ? undefined : await readRefund(deps, deposit, named);
  const searches = reported === undefined && !isUnrefunded(status);
  const { receipt, left } = searches ? await search(deps, deposit) : { receipt: reported, left: checkpoint };
  const isPaid = receipt !== undefined && (await isFinal(deps.rpc, { chain, blockNumber: receipt.blockNumber }));
  if (!isPaid) return { status: 'refunding', reason: REASON, checkpoint: left };
  return {
    status: 'refunded',
    chainId: chain.chainId,
    txHash: receipt.transactionHash,
    amount: toBaseUnits(relay.inputAmount),
    reason: route.origin.isNative ? `${REASON}; refunded as the wrapped coin` : REASON,
  };
}

/** True while the API reports no refund: an equal refund on chain then belongs to another deposit. */
const isUnrefunded = (status: DepositStatus | undefined): boolean =>
  status !== undefined && ['expired', 'pending', 'slowFillRequested'].includes(status.status);

async function requestStatus({ http }: DepositFollowDeps, { relay }: AcrossDeposit, signal: AbortSignal) {
  const { depositId, originChainId } = relay;
  const id = { depositId, originChainId: Number.parseInt(originChainId.toString(), 10) };
  return fetchDepositStatus(http, id, signal).catch(() => undefined);
}

async function readRefund({ rpc }: DepositFollowDeps, deposit: AcrossDeposit, txHash: string) {
  if (!/^0x[0-9a-fA-F]{64}$/.test(txHash)) return undefined;
  const receipt = await requestReceipt(rpc, { chainId: deposit.route.origin.chain.chainId, txHash });
  return receipt !== undefined && transfersRefund(receipt, deposit) ? receipt : undefined;
}

async function search(deps: DepositFollowDeps, deposit: AcrossDeposit) {
  const { route, relay, checkpoint, originBlock } = deposit;
  const { chainId } = route.origin.chain;
  const afterDeadline = { chainId, timestamp: BigInt(relay.fillDeadline) };
  const start = checkpoint.refundSearchFrom === undefined ? await blockAt(deps.rpc, afterDeadline) : undefined;
  const fromBlock = start ?? BigInt(checkpoint.refundSearchFrom ?? originBlock);
  const { found, next } = await searchLogs(deps.rpc, {
    chainId,
    fromBlock,
    find: async (client, range) => {
      const event = { abi: spokePoolAbi, eventName: 'ExecutedRelayerRefundRoot' } as const;
      const address = route.origin.across.spokePool;
      const logs = await client.getContractEvents({ ...event, address, ...range, strict: true });
      for (const log of logs.filter((candidate) => isRefundOf([candidate], deposit))) {
        const receipt = await client.getTransactionReceipt({ hash: log.transactionHash });
        if (transfersRefund(receipt, deposit)) return receipt;
      }
      return undefined;
    },
  });
  return { receipt: found, left: { ...checkpoint, refundSearchFrom: next.toString() } };
}

/** The pool defers transfers that the token rejects, so the token transfer itself is required. */
const transfersRefund = (receipt: TransactionReceipt, deposit: AcrossDeposit): boolean =>
  isRefundOf(receipt.logs, deposit) &&
  parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs }).some(
    ({ address, args }) =>
      toWord(address) === deposit.relay.inputToken &&
      toWord(args.from) === toWord(deposit.route.origin.across.spokePool) &&
      toWord(args.to) === deposit.relay.depositor &&
      args.value >= deposit.relay.inputAmount,
  );

/** The refunds of a depositor in one bundle are paid as one sum. */
const isRefundOf = (logs: readonly Log[], { route, relay }: AcrossDeposit): boolean =>
  parseEventLogs({ abi: spokePoolAbi, eventName: 'ExecutedRelayerRefundRoot', logs: [...logs] }).some(
    ({ address, args }) =>
      toWord(address) === toWord(route.origin.across.spokePool) &&
      toWord(args.l2TokenAddress) === relay.inputToken &&
      args.refundAddresses.some(
        (refundAddress, index) =>
          toWord(refundAddress) === relay.depositor && (args.refundAmounts[index] ?? 0n) >= relay.inputAmount,
      ),
  );
