import { invariant } from '../../errors/invariant-error';
import type { Transaction } from '../../persistence/database';
import { transition } from '../state/transition';
import type { CameBack } from './refunded-amount';
import type { Transfer } from './transfer-action';
import type { SeenRefund, Verdict } from './outcome';

type Refunded = Extract<Verdict, { readonly kind: 'refunded' }>;

/** Ends an action whose money came back, with the refund as a step of its own. True when nobody was first. */
export async function noteRefund(tx: Transaction, transfer: Transfer, { refund, reason }: Refunded): Promise<boolean> {
  const { actionId, customerId } = transfer;
  const { chainId, txHash, cameBack } = refund;
  if (!(await isUnclaimed(tx, transfer, refund))) return false;
  await transition(tx, actionId, { edge: 'originSeen', substatus: 'REFUND_QUEUED' });
  const detail = {
    chainId,
    ...(txHash === undefined ? {} : { txHash }),
    ...(cameBack === undefined ? {} : detailOf(cameBack)),
  };
  const move = { edge: 'refunded', substatus: 'REFUND_SENT', failureReason: reason, detail } as const;
  if (!(await transition(tx, actionId, move))) return false;
  await addStep(tx, { actionId, customerId, refund });
  return true;
}

/** As `parseActionRow` reads it. */
const detailOf = ({ token, amount, owner, amountInUsd }: CameBack) => ({
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
 * False when other actions whose refunds go to the same wallet have had the money already: one transaction may refund
 * several, each of them no more than it had sold. One at a time decides that for a transaction.
 */
async function isUnclaimed(tx: Transaction, transfer: Transfer, refund: SeenRefund): Promise<boolean> {
  const { chainId, txHash, total, token } = refund;
  if (txHash === undefined || (total === undefined && token === undefined)) return true;
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`refunded by ${String(chainId)} ${txHash}`}, 0))`;
  if (total === undefined) return isFirst(tx, transfer, { chainId, txHash });
  const { actionId, originAddress, refundAddress = originAddress, tokenIn } = transfer;
  const [others] = await tx.$queryRaw<{ sold: string }[]>`
    SELECT coalesce(sum(other."amountIn"), 0)::text AS sold
      FROM "ActionStep" AS step JOIN "Action" AS other ON other.id = step."actionId"
     WHERE step."chainId" = ${chainId} AND step."txHash" = ${txHash} AND step.kind = 'REFUND'
       AND other.id <> ${actionId}::uuid
       AND coalesce(other."refundAddress", other."originAddress") = ${refundAddress}
       AND other."tokenIn"->>'address' = ${tokenIn}`;
  return total > BigInt(others?.sold ?? '0');
}

/** What another token is worth of what was sold, nobody can tell: of one wallet, a transaction refunds one action. */
async function isFirst(
  tx: Transaction,
  { actionId, originAddress, refundAddress = originAddress, receiverAddress }: Transfer,
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

interface RefundStep extends Pick<Transfer, 'actionId' | 'customerId'> {
  readonly refund: SeenRefund;
}

/** Behind the steps that were planned. */
async function addStep(tx: Transaction, { actionId, customerId, refund }: RefundStep): Promise<void> {
  const { chainId, txHash, block } = refund;
  const [last] = await tx.actionStep.findMany({ where: { actionId }, orderBy: { stepIndex: 'desc' }, take: 1 });
  invariant(last, `the action ${actionId} has no step`);
  const place = { actionId, customerId, stepIndex: last.stepIndex + 1 };
  const step = {
    kind: 'REFUND',
    // What the service was to carry on with, it gives back itself.
    operator: last.operator === 'SERVICE' ? 'SERVICE' : 'PROVIDER',
    protocol: last.protocol,
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
