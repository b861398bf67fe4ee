import { invariant } from '../../errors/invariant-error';
import type { Transaction } from '../../persistence/database';
import { changeStatus } from '../state/change-status';
import type { DeliveryOutcome, ObservedRefund } from './outcome';
import type { RefundedAmount } from './refunded-amount';
import type { TransferAction } from './transfer-action';

type Refunded = Extract<DeliveryOutcome, { readonly kind: 'refunded' }>;

/** Ends a refunded action and adds the refund as a step. False when another replica was first. */
export async function recordRefund(
  tx: Transaction,
  transfer: TransferAction,
  { refund, reason }: Refunded,
): Promise<boolean> {
  const { actionId, customerId } = transfer;
  const { chainId, txHash, refundedAmount } = refund;
  if (!(await isUnclaimed(tx, transfer, refund))) return false;
  await changeStatus(tx, actionId, { transition: 'originSeen', substatus: 'REFUND_QUEUED' });
  const detail = {
    chainId,
    ...(txHash === undefined ? {} : { txHash }),
    ...(refundedAmount === undefined ? {} : detailOf(refundedAmount)),
  };
  const change = { transition: 'refunded', substatus: 'REFUND_SENT', failureReason: reason, detail } as const;
  if (!(await changeStatus(tx, actionId, change))) return false;
  await addStep(tx, { actionId, customerId, destination: transfer.destination, refund });
  return true;
}

/** `parseActionRow` reads it. */
const detailOf = ({ token, amount, owner, amountInUsd }: RefundedAmount) => ({
  token: token.address,
  symbol: token.symbol,
  name: token.name,
  decimals: token.decimals,
  ...(token.logoURI === undefined ? {} : { logoURI: token.logoURI }),
  amount: amount.toString(),
  ...(owner === undefined ? {} : { owner }),
  ...(amountInUsd === undefined ? {} : { amountInUsd }),
});

/**
 * False when the transaction's tokens already refund other actions of the same wallet: one transaction may refund several
 * actions, each with at most the amount that it sold. The lock serialises the decision for each transaction.
 */
async function isUnclaimed(tx: Transaction, transfer: TransferAction, refund: ObservedRefund): Promise<boolean> {
  const { chainId, txHash, total, token } = refund;
  if (txHash === undefined || (total === undefined && token === undefined)) return true;
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`refunded by ${String(chainId)} ${txHash}`}, 0))`;
  if (total === undefined) return isFirstOfWallet(tx, transfer, { chainId, txHash });
  const { actionId, originAddress, refundAddress = originAddress, tokenIn } = transfer;
  const [others] = await tx.$queryRaw<{ sold: string }[]>`
    SELECT coalesce(sum(coalesce((part.terms->>'amountIn')::numeric, other."amountIn")), 0)::text AS sold
      FROM "ActionStep" AS step JOIN "Action" AS other ON other.id = step."actionId"
      LEFT JOIN "Delivery" AS part ON part."actionId" = other.id
     WHERE step."chainId" = ${chainId} AND step."txHash" = ${txHash} AND step.kind = 'REFUND'
       AND other.id <> ${actionId}::uuid
       AND coalesce(other."refundAddress", other."originAddress") = ${refundAddress}
       AND coalesce(part.terms->'tokenIn', other."tokenIn")->>'address' = ${tokenIn}`;
  return total > BigInt(others?.sold ?? '0');
}

/**
 * True when the transaction refunds no other action of the wallet. The value of another token than the sold one cannot be
 * split, so such a transaction refunds one action for each wallet.
 */
async function isFirstOfWallet(
  tx: Transaction,
  { actionId, originAddress, refundAddress = originAddress, receiverAddress }: TransferAction,
  { chainId, txHash }: { readonly chainId: number; readonly txHash: string },
): Promise<boolean> {
  const owners = [refundAddress, receiverAddress];
  const others = await tx.actionStep.count({
    where: {
      chainId,
      txHash,
      kind: 'REFUND',
      actionId: { not: actionId },
      action: {
        OR: [
          { refundAddress: { in: owners } },
          { refundAddress: null, originAddress: { in: owners } },
          { receiverAddress: { in: owners } },
        ],
      },
    },
  });
  return others === 0;
}

interface RefundStep extends Pick<TransferAction, 'actionId' | 'customerId' | 'destination'> {
  readonly refund: ObservedRefund;
}

/** Adds the step behind the planned ones. */
async function addStep(tx: Transaction, { actionId, customerId, destination, refund }: RefundStep): Promise<void> {
  const { chainId, txHash, block } = refund;
  const [last] = await tx.actionStep.findMany({ where: { actionId }, orderBy: { stepIndex: 'desc' }, take: 1 });
  invariant(last, `the action ${actionId} has no step`);
  const place = { actionId, customerId, stepIndex: last.stepIndex + 1 };
  const step = {
    kind: 'REFUND',
    // The service itself refunds the tokens of a step that it should have carried out.
    operator: destination.operator === 'SERVICE' ? 'SERVICE' : 'PROVIDER',
    protocol: destination.protocol,
    chainId,
    status: 'CONFIRMED',
    txHash: txHash ?? null,
  } as const;
  if (block === undefined) {
    await tx.actionStep.create({ data: { ...place, ...step, minedAt: new Date() } });
    return;
  }
  const minedAt = new Date(Number.parseInt(block.timestamp.toString(), 10) * 1000);
  await tx.actionStep.create({
    data: { ...place, ...step, blockNumber: block.number, blockHash: block.hash, minedAt },
  });
}
