import {
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  numberToHex,
  type PublicClient,
  ResponseBodyTooLargeError,
} from 'viem';
import type { ContractRead } from './contract-read';
import { isExecutionFailure } from './rpc-failure';

/** Address of Multicall3 on every chain. */
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Block whose state is read; the latest when absent. */
  readonly blockNumber?: bigint | undefined;
}

/** Results in the order of the reads; `undefined` where a call reverted or its result does not match the ABI. */
export type ReadResults<Reads extends readonly ContractRead<unknown>[]> = {
  [Index in keyof Reads]: Reads[Index] extends ContractRead<infer Result> ? Result | undefined : never;
};

/** Keeps one eth_call below the gas and size limits of public nodes. */
const MAX_READS = 400;

type ReadData = Hex | undefined;

/**
 * Runs the reads in as few eth_calls as possible; reads that fit in one see the same block.
 *
 * @throws the error of the node or the transport
 */
export async function readAll<const Reads extends readonly ContractRead<unknown>[]>(
  client: PublicClient,
  reads: Reads,
  options: ReadOptions,
): Promise<ReadResults<Reads>> {
  const chunks: (readonly ContractRead<unknown>[])[] = [];
  for (let start = 0; start < reads.length; start += MAX_READS) chunks.push(reads.slice(start, start + MAX_READS));
  const results = await Promise.all(chunks.map((chunk) => aggregate(client, chunk, options)));
  return results.flat().map((data, index) => decoded(reads[index], data)) as ReadResults<Reads>;
}

async function aggregate(
  client: PublicClient,
  reads: readonly ContractRead<unknown>[],
  options: ReadOptions,
): Promise<readonly ReadData[]> {
  const calls = reads.map((read) => ({ target: read.to, callData: read.data, allowFailure: true }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const block = options.blockNumber === undefined ? 'latest' : numberToHex(options.blockNumber);
  const requestOptions = options.signal === undefined ? {} : { signal: options.signal };
  try {
    const response = await client.request(
      { method: 'eth_call', params: [{ to: MULTICALL3, data }, block] },
      requestOptions,
    );
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: response });
    return results.map((result) => (result.success ? result.returnData : undefined));
  } catch (error) {
    if (!isExecutionFailure(error)) throw error;
    if (isTooLarge(error)) await assertCanBeBrief(client, requestOptions);
    // One call used the gas of all, or returned megabytes: halving isolates it.
    if (reads.length <= 1) return reads.map(() => undefined);
    const half = Math.ceil(reads.length / 2);
    const halves = [reads.slice(0, half), reads.slice(half)];
    return (await Promise.all(halves.map((part) => aggregate(client, part, options)))).flat();
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null;

/** A contract may return megabytes. If an empty read is too large as well, the node is at fault. */
async function assertCanBeBrief(client: PublicClient, options: { readonly signal?: AbortSignal }): Promise<void> {
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [[]] });
  await client.request({ method: 'eth_call', params: [{ to: MULTICALL3, data }, 'latest'] }, options);
}

function decoded(read: ContractRead<unknown> | undefined, data: ReadData): unknown {
  // A contract without the function, or an address without a contract, returns no data.
  if (read === undefined || data === undefined || data === '0x') return undefined;
  try {
    return read.decode(data);
  } catch {
    return undefined;
  }
}
