import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  numberToHex,
  pad,
  type PublicClient,
  size,
} from 'viem';
import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import { InvariantError } from '../../errors/invariant-error';
import { contractRead, type ContractRead } from '../contract-read';
import { MULTICALL3 } from '../multicall';
import { type BlockHead, headReads } from './block-head';
import type { BlockReadsRequest, ReadOutcome } from './read-outcome';

/** Reads that one eth_call has executed. */
export interface Portion<Result> {
  readonly block: BlockHead;
  /** By the index of the read. */
  readonly results: ReadonlyMap<number, ReadOutcome<Result>>;
  /** True when a read reverted without data, as reads without gas do: any revert may be due to another read. */
  readonly hasEmptyRevert: boolean;
  /** True when the reads have left too little gas for the witnesses. `undefined` without witnesses. */
  readonly isExhausted: boolean | undefined;
}

interface AggregateCall<Result> extends BlockReadsRequest<Result> {
  /** Indexes of the reads to execute. */
  readonly part: readonly number[];
  /** The latest block when `undefined`. */
  readonly blockNumber: bigint | undefined;
  /** Whether witnesses show that the reads have left gas. */
  readonly hasWitnesses: boolean;
}

/**
 * Gas of a call: a contract that uses up all of it takes time of the node in proportion to the number of reads, so that
 * separating it ends soon. Nodes allow 50 million by default.
 */
const BASE_GAS = 1_000_000;
const DEFAULT_GAS_PER_READ = 100_000;
const MAX_GAS = 30_000_000;

/**
 * Reads of accounts that no other read has touched: at least 2,600 gas each. A contract that uses up the gas of a call of its
 * own leaves a 64th, about 17,000.
 */
const WITNESSES: readonly ContractRead<bigint>[] = Array.from({ length: 10 }, (_, index) =>
  contractRead({
    address: MULTICALL3,
    abi: multicall3Abi,
    functionName: 'getEthBalance',
    args: [pad(numberToHex(0xff_ff00_0000 + index), { size: 20 }) satisfies Address],
  }),
);

/** Executes some reads in one eth_call, together with those of its block. @throws the error of the node or the transport */
export async function callAggregate<Result>(
  client: PublicClient,
  { chain, reads, part, blockNumber, hasWitnesses, signal, gasPerRead = DEFAULT_GAS_PER_READ }: AggregateCall<Result>,
): Promise<Portion<Result>> {
  const [numberRead, timeRead] = headReads(chain);
  const own = part.flatMap((index) => reads[index] ?? []);
  const calls = [numberRead, timeRead, ...own, ...(hasWitnesses ? WITNESSES : [])].map(({ to, data }) => ({
    target: to,
    callData: data,
    allowFailure: true,
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const gas = numberToHex(Math.min(MAX_GAS, BASE_GAS + gasPerRead * part.length));
  const block = blockNumber === undefined ? 'latest' : numberToHex(blockNumber);
  // A signal of its own: calls with the same signal are sent in one batch, whose response would wait for its slowest call.
  const requestOptions = { signal: anySignal(signal) };
  const request = client.request(
    { method: 'eth_call', params: [{ to: MULTICALL3, data, gas }, block] },
    requestOptions,
  );
  const [number, time, ...results] = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: await rejectOnAbort(request, signal),
  });
  if (number === undefined || time === undefined) throw new InvariantError('aggregate3 returned too few results');
  return {
    block: { number: numberRead.decode(number.returnData), timestamp: timeRead.decode(time.returnData) },
    results: new Map(part.flatMap((index, position) => outcomeOf(index, reads[index], results[position]))),
    hasEmptyRevert: results.slice(0, part.length).some(({ success, returnData }) => !success && returnData === '0x'),
    isExhausted: hasWitnesses ? results.slice(part.length).some(({ success }) => !success) : undefined,
  };
}

interface CallResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

/** Nothing when the node returned too few results. */
function outcomeOf<Result>(
  index: number,
  read: ContractRead<Result> | undefined,
  result: CallResult | undefined,
): readonly (readonly [number, ReadOutcome<Result>])[] {
  if (read === undefined || result === undefined) return [];
  if (!result.success) return [[index, { status: 'reverted', brokeMulticall: false }]];
  try {
    return [[index, { status: 'read', value: read.decode(result.returnData) }]];
  } catch {
    return [[index, { status: 'invalid', bytes: size(result.returnData) }]];
  }
}
