import {
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  numberToHex,
  type PublicClient,
  size,
} from 'viem';
import { InvariantError } from '../../errors/invariant-error';
import type { ContractRead } from '../contract-read';
import { MULTICALL3 } from '../multicall';
import { type BlockHead, headReads } from './block-head';
import type { BlockReadsRequest, ReadOutcome } from './read-outcome';

/** Reads that one eth_call has executed. */
export interface Portion<Result> {
  /** The block of the call; `undefined` when the call failed. */
  readonly block: BlockHead | undefined;
  /** By the index of the read. */
  readonly results: ReadonlyMap<number, ReadOutcome<Result>>;
  /** Indexes of the reads that reverted without data, as reads without gas do. */
  readonly emptyReverts: readonly number[];
  /** True when the reads were separated from others whose call failed. */
  readonly isSplit: boolean;
}

interface AggregateCall<Result> extends BlockReadsRequest<Result> {
  /** Indexes of the reads to execute. */
  readonly part: readonly number[];
  /** The latest block when `undefined`. */
  readonly blockNumber: bigint | undefined;
}

/**
 * Gas of a call: a contract that uses up all of it takes time of the node in proportion to the number of reads, so that
 * halving ends soon. Nodes allow 50 million by default.
 */
const BASE_GAS = 1_000_000;
const GAS_PER_READ = 100_000;
const MAX_GAS = 30_000_000;

/** Executes some reads in one eth_call, together with those of its block. @throws the error of the node or the transport */
export async function callAggregate<Result>(
  client: PublicClient,
  { chainId, reads, part, blockNumber, signal }: AggregateCall<Result>,
): Promise<Portion<Result> & { readonly block: BlockHead }> {
  const [numberRead, timeRead] = headReads(chainId);
  const own = part.flatMap((index) => reads[index] ?? []);
  const calls = [numberRead, timeRead, ...own].map(({ to, data }) => ({
    target: to,
    callData: data,
    allowFailure: true,
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const gas = numberToHex(Math.min(MAX_GAS, BASE_GAS + GAS_PER_READ * part.length));
  const block = blockNumber === undefined ? 'latest' : numberToHex(blockNumber);
  const response = await client.request(
    { method: 'eth_call', params: [{ to: MULTICALL3, data, gas }, block] },
    signal === undefined ? {} : { signal },
  );
  const [number, time, ...results] = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: response,
  });
  if (number === undefined || time === undefined) throw new InvariantError('aggregate3 returned too few results');
  return {
    block: { number: numberRead.decode(number.returnData), timestamp: timeRead.decode(time.returnData) },
    results: new Map(part.map((index, position) => [index, outcomeOf(reads[index], results[position])])),
    emptyReverts: part.filter((_, position) => isEmptyRevert(results[position])),
    isSplit: false,
  };
}

interface CallResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

const isEmptyRevert = (result: CallResult | undefined): boolean =>
  result !== undefined && !result.success && result.returnData === '0x';

function outcomeOf<Result>(
  read: ContractRead<Result> | undefined,
  result: CallResult | undefined,
): ReadOutcome<Result> {
  if (read === undefined || result === undefined) return { status: 'unread' };
  if (!result.success) return { status: 'reverted', brokeMulticall: false };
  try {
    return { status: 'read', value: read.decode(result.returnData) };
  } catch {
    return { status: 'invalid', bytes: size(result.returnData) };
  }
}
