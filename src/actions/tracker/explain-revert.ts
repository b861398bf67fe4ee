import {
  decodeErrorResult,
  type Hex,
  isHex,
  numberToHex,
  parseAbi,
  type PublicClient,
  type Transaction,
  type TransactionReceipt,
} from 'viem';
import { revertReason } from '../../rpc/revert-reason';
import { isExecutionFailure, isTransportFailure, nodeErrorOf } from '../../rpc/rpc-failure';
import type { Substatus } from '../state/substatus';

/** Why a step failed. */
export interface StepFailure {
  /** Shown to the customer. */
  readonly reason: string;
  readonly substatus: Substatus | undefined;
}

/** Errors of routers when the price has moved by more than the slippage tolerance. */
const ROUTER_ERRORS = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error V2TooLittleReceived()',
  'error V2TooMuchRequested()',
  'error V3TooLittleReceived()',
  'error V3TooMuchRequested()',
  'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
  'error V4TooMuchRequested(uint256 maxAmountInRequested, uint256 amountRequested)',
  'error ReturnAmountIsNotEnough(uint256 result, uint256 minReturn)',
]);
const SLIPPAGE_REASONS: ReadonlySet<string> = new Set([
  'Too little received',
  'Too much requested',
  'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT',
  'UniswapV2Router: EXCESSIVE_INPUT_AMOUNT',
]);
const DEADLINE_REASONS: ReadonlySet<string> = new Set(['Transaction too old', 'UniswapV2Router: EXPIRED']);

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
  if (ran.outcome === 'reverted') return failureOf(ran.data);
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
export function failureOf(data: Hex): StepFailure {
  return { reason: `The transaction reverted: ${revertReason(data)}`, substatus: substatusOf(data) };
}

function substatusOf(data: Hex): Substatus | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: ROUTER_ERRORS, data });
    if (errorName === 'Panic') return undefined;
    if (errorName !== 'Error') return 'SLIPPAGE_EXCEEDED';
    if (SLIPPAGE_REASONS.has(args[0])) return 'SLIPPAGE_EXCEEDED';
    return DEADLINE_REASONS.has(args[0]) ? 'EXPIRED' : undefined;
  } catch {
    return undefined; // another custom error, or no data at all
  }
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
