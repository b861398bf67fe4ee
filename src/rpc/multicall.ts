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

/** Where Multicall3 lives on every chain that has it. */
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Reads the state after this block; the newest one when absent. */
  readonly blockNumber?: bigint | undefined;
}

/** Results in the order of the reads; `undefined` where a call reverted or answered another shape. */
export type ReadResults<Reads extends readonly ContractRead<unknown>[]> = {
  [Index in keyof Reads]: Reads[Index] extends ContractRead<infer Result> ? Result | undefined : never;
};

/** Keeps one eth_call below the gas and size limits of public nodes. */
const MAX_READS = 400;

type Answer = Hex | undefined;

/**
 * Runs the reads in as few eth_calls as possible, all on the state of one block when they fit in one.
 *
 * @throws what the node or the transport throws when it could not be asked.
 */
export async function readAll<const Reads extends readonly ContractRead<unknown>[]>(
  client: PublicClient,
  reads: Reads,
  options: ReadOptions,
): Promise<ReadResults<Reads>> {
  const chunks: (readonly ContractRead<unknown>[])[] = [];
  for (let start = 0; start < reads.length; start += MAX_READS) chunks.push(reads.slice(start, start + MAX_READS));
  const answers = await Promise.all(chunks.map((chunk) => aggregate(client, chunk, options)));
  return answers.flat().map((answer, index) => decoded(reads[index], answer)) as ReadResults<Reads>;
}

async function aggregate(
  client: PublicClient,
  reads: readonly ContractRead<unknown>[],
  options: ReadOptions,
): Promise<readonly Answer[]> {
  const calls = reads.map((read) => ({ target: read.to, callData: read.data, allowFailure: true }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const block = options.blockNumber === undefined ? 'latest' : numberToHex(options.blockNumber);
  const requestOptions = options.signal === undefined ? {} : { signal: options.signal };
  try {
    const answer = await client.request(
      { method: 'eth_call', params: [{ to: MULTICALL3, data }, block] },
      requestOptions,
    );
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
    return results.map((result) => (result.success ? result.returnData : undefined));
  } catch (error) {
    if (!isExecutionFailure(error)) throw error;
    if (isTooLarge(error)) await assertCanBeBrief(client, requestOptions);
    // One call burnt the gas of all, or answered with megabytes: find it, and let the others answer.
    if (reads.length <= 1) return reads.map(() => undefined);
    const half = Math.ceil(reads.length / 2);
    const halves = [reads.slice(0, half), reads.slice(half)];
    return (await Promise.all(halves.map((part) => aggregate(client, part, options)))).flat();
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null;

/** A contract may return megabytes. A node that does so when nothing is read at all is what is wrong. */
async function assertCanBeBrief(client: PublicClient, options: { readonly signal?: AbortSignal }): Promise<void> {
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [[]] });
  await client.request({ method: 'eth_call', params: [{ to: MULTICALL3, data }, 'latest'] }, options);
}

function decoded(read: ContractRead<unknown> | undefined, answer: Answer): unknown {
  // A contract without the function, or no contract at all, answers nothing.
  if (read === undefined || answer === undefined || answer === '0x') return undefined;
  try {
    return read.decode(answer);
  } catch {
    return undefined;
  }
}
