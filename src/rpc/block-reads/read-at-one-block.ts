import type { PublicClient } from 'viem';
import { isExecutionFailure, isRateLimited } from '../rpc-failure';
import { callAggregate, type Portion } from './aggregate-call';
import type { BlockHead } from './block-head';
import type { BlockReads, BlockReadsRequest, ReadOutcome, ReadOutcomes } from './read-outcome';

/** Reads of one eth_call, besides those of the block. */
const MAX_READS_PER_CALL = 398;
const MAX_LISTED_READS_PER_CALL = 450;
/** Calls that separate broken reads from the others, besides one for each full chunk. */
const MAX_EXTRA_CALLS = 64;
/** Parts of a call that failed: a broken read among 398 is found after three more rounds of calls. */
const PARTS = 8;

/**
 * Reads as many contracts as one eth_call takes, at the latest block. When their call fails because of what is in it, only
 * the first `certain` reads are executed, which cannot fail. Reads whose result is uncertain are `undefined`.
 *
 * @throws the error of the node or the transport
 */
export async function readLatest<Result>(
  client: PublicClient,
  request: BlockReadsRequest<Result>,
  certain: number,
): Promise<BlockReads<Result>> {
  const all = [...request.reads.keys()];
  const hasWitnesses = request.areListed === true;
  const call = (count: number): Promise<Portion<Result>> =>
    callAggregate(client, { ...request, part: all.slice(0, count), blockNumber: undefined, hasWitnesses });
  const maximum = maxReads(request);
  const minimum = Math.min(certain, maximum);
  const portion = await call(maximum).catch((error: unknown) => {
    if (!isExecutionFailure(error) || all.length <= minimum) throw error;
    return call(minimum);
  });
  const certainResults = new Map([...portion.results].filter(([, outcome]) => isCertain(portion, outcome)));
  return { block: portion.block, outcomes: all.map((index) => certainResults.get(index)) };
}

const maxReads = ({ areListed }: Pick<BlockReadsRequest<unknown>, 'areListed'>): number =>
  areListed === true ? MAX_LISTED_READS_PER_CALL : MAX_READS_PER_CALL;

/**
 * A revert is uncertain next to one without data: a third read may have used up the gas of both. Not when witnesses show that
 * there was gas left.
 */
const isCertain = <Result>(
  { hasEmptyRevert, isExhausted }: Portion<Result>,
  { status }: ReadOutcome<Result>,
): boolean => status !== 'reverted' || !hasEmptyRevert || isExhausted === false;

/** State of one request. */
interface Session<Result> {
  readonly client: PublicClient;
  readonly request: BlockReadsRequest<Result> & { readonly block: BlockHead };
  readonly results: Map<number, ReadOutcome<Result>>;
  /** Calls that may still be made. */
  budget: number;
  /** Whether the node executes a call without reads; set by the first call that fails. */
  probe: Promise<boolean> | undefined;
}

/**
 * Reads contracts at a block. A read that makes its call fail, by using all gas or returning megabytes, is separated from the
 * others, one part after the other, so that each request finds some. Never throws: a read is `undefined` when its call failed
 * for another reason, when the calls are used up, and when the signal aborts.
 */
export async function readAtBlock<Result>(
  client: PublicClient,
  request: BlockReadsRequest<Result> & { readonly block: BlockHead },
): Promise<ReadOutcomes<Result>> {
  const all = [...request.reads.keys()];
  const chunks = partsOf(all, maxReads(request));
  const budget = chunks.length + MAX_EXTRA_CALLS;
  const session: Session<Result> = { client, request, results: new Map(), budget, probe: undefined };
  await separate(session, chunks);
  return all.map((index) => session.results.get(index));
}

/** Reads the parts together, then the uncertain reads of each on their own. */
async function separate<Result>(session: Session<Result>, parts: readonly (readonly number[])[]): Promise<void> {
  const left = await Promise.all(parts.map((part) => readPart(session, part)));
  for (const part of left) {
    if (part.length > 0) await separate(session, partsOf(part, Math.ceil(part.length / PARTS)));
  }
}

/** Reads a part in one call. Returns the reads that must be separated. */
async function readPart<Result>(session: Session<Result>, part: readonly number[]): Promise<readonly number[]> {
  try {
    const portion = await call(session, part);
    if (part.length === 1) return await storeSingle(session, part, portion);
    for (const [index, outcome] of portion.results) {
      if (isCertain(portion, outcome)) session.results.set(index, outcome);
    }
    return [...portion.results].filter(([, outcome]) => !isCertain(portion, outcome)).map(([index]) => index);
  } catch (error) {
    if (!isExecutionFailure(error)) return [];
    session.probe ??= probe(session);
    return part.length === 1 ? storeBroken(session, part) : part;
  }
}

async function storeSingle<Result>(
  session: Session<Result>,
  part: readonly number[],
  { results, isExhausted }: Portion<Result>,
): Promise<readonly number[]> {
  if (isExhausted === true) return storeBroken(session, part);
  for (const [index, outcome] of results) session.results.set(index, outcome);
  return [];
}

/** A node that fails to execute a call without reads as well is at fault, not the contract. */
async function storeBroken<Result>(session: Session<Result>, part: readonly number[]): Promise<readonly number[]> {
  session.probe ??= probe(session);
  if (!(await session.probe)) return [];
  for (const index of part) session.results.set(index, { status: 'reverted', brokeMulticall: true });
  return [];
}

const probe = <Result>(session: Session<Result>): Promise<boolean> =>
  callAt(session, []).then(
    ({ isExhausted }) => isExhausted === false,
    () => false,
  );

/** Repeats a call once that failed for another reason than its reads: another node may have the block. */
async function call<Result>(session: Session<Result>, part: readonly number[]): Promise<Portion<Result>> {
  session.request.signal.throwIfAborted();
  session.budget -= 1;
  if (session.budget < 0) throw new CallsUsedUpError();
  try {
    return await callAtItsBlock(session, part);
  } catch (error) {
    const isFinal = isExecutionFailure(error) || isRateLimited(error) || session.request.signal.aborted;
    if (isFinal || session.budget <= 0) throw error;
    session.budget -= 1;
    return callAtItsBlock(session, part);
  }
}

class CallsUsedUpError extends Error {
  override readonly name = 'CallsUsedUpError';
}

/** A node executed the call at another block: its balances are of another time. */
class OtherBlockError extends Error {
  override readonly name = 'OtherBlockError';
}

/** Some nodes execute a call at the next block when that arrives in the meantime. */
async function callAtItsBlock<Result>(session: Session<Result>, part: readonly number[]): Promise<Portion<Result>> {
  const portion = await callAt(session, part);
  const { number, timestamp } = session.request.block;
  if (portion.block.number !== number || portion.block.timestamp !== timestamp) throw new OtherBlockError();
  return portion;
}

const callAt = <Result>({ client, request }: Session<Result>, part: readonly number[]): Promise<Portion<Result>> =>
  callAggregate(client, {
    ...request,
    part,
    blockNumber: request.block.number,
    hasWitnesses: part.length < 2 || request.areListed === true,
  });

const partsOf = (items: readonly number[], length: number): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );
