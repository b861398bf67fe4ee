import { type Hex, isHex, numberToHex, type PublicClient, type Transaction, type TransactionReceipt } from 'viem';
import { type RefusedTrade, refusedTrade, revertReason } from '../../rpc/revert-reason';
import { isExecutionFailure, isTransportFailure, nodeErrorOf } from '../../rpc/rpc-failure';
import type { Substatus } from '../state/substatus';

/** Why a step failed. */
export interface StepFailure {
  /** Shown to the customer. */
  readonly reason: string;
  readonly substatus: Substatus | undefined;
}

const SUBSTATUSES = {
  slippage: 'SLIPPAGE_EXCEEDED',
  deadline: 'EXPIRED',
} as const satisfies Record<RefusedTrade, Substatus>;

type Replay = { readonly outcome: 'reverted'; readonly data: Hex } | { readonly outcome: 'passed' | 'unknown' };

/**
 * Replays a reverted transaction on the state of its block, and on the state before if it passes there, to read the
 * contract's error. Without that state on the node, the reason stays unknown.
 *
 * @throws an error with PROVIDER_UNAVAILABLE among its causes when the chain does not respond.
 */
export async function explainRevert(
  client: PublicClient,
  transaction: Transaction,
  receipt: TransactionReceipt,
): Promise<StepFailure> {
  const after = await replay(client, transaction, receipt.blockNumber);
  const ran = after.outcome === 'passed' ? await replay(client, transaction, receipt.blockNumber - 1n) : after;
  if (ranOutOfGas(ran, transaction.gas, receipt.gasUsed)) {
    return { reason: 'The transaction ran out of gas', substatus: 'OUT_OF_GAS' };
  }
  if (ran.outcome === 'reverted') return revertFailure(ran.data);
  return { reason: 'The transaction reverted', substatus: undefined };
}

/**
 * True when the call passes without a gas limit and the transaction had used up its limit: at least 90 %, because each
 * inner call leaves a part to its caller. A call that fails without revert data counts when all of the limit was used.
 */
function ranOutOfGas(ran: Replay, limit: bigint, used: bigint): boolean {
  return ran.outcome === 'reverted' ? ran.data === '0x' && used === limit : used * 10n >= limit * 9n;
}

/** Reason and substatus for revert data. */
export function revertFailure(data: Hex): StepFailure {
  return { reason: `The transaction reverted: ${revertReason(data)}`, substatus: substatusOf(data) };
}

function substatusOf(data: Hex): Substatus | undefined {
  const refused = refusedTrade(data);
  return refused === undefined ? undefined : SUBSTATUSES[refused];
}

async function replay(client: PublicClient, transaction: Transaction, blockNumber: bigint): Promise<Replay> {
  const { from, to, input, value } = transaction;
  const call = { from, data: input, value: numberToHex(value), ...(to === null ? {} : { to }) };
  try {
    await client.request({ method: 'eth_call', params: [call, numberToHex(blockNumber)] });
    return { outcome: 'passed' };
  } catch (error) {
    if (isExecutionFailure(error)) return { outcome: 'reverted', data: dataOf(nodeErrorOf(error)?.data) };
    if (isTransportFailure(error)) throw error;
    return { outcome: 'unknown' };
  }
}

/** Nodes put the revert data into `data`, or one level deeper. */
function dataOf(data: unknown): Hex {
  if (isHex(data)) return data;
  const inner: unknown = typeof data === 'object' && data !== null && 'data' in data ? data.data : undefined;
  return isHex(inner) ? inner : '0x';
}
