import type { PublicClient } from 'viem';
import { isExecutionFailure } from '../rpc-failure';
import { callAggregate, type Portion } from './aggregate-call';
import type { BlockHead } from './block-head';
import type { BlockReads, BlockReadsRequest, ReadOutcome } from './read-outcome';

/** Reads of one eth_call, besides those of the block. */
const MAX_READS_PER_CALL = 398;
/** Calls that separate broken reads from the others, besides one for each full chunk. */
const MAX_EXTRA_CALLS = 64;

/** State of one request. */
interface Session<Result> {
  readonly client: PublicClient;
  readonly request: BlockReadsRequest<Result>;
  /** Calls that may still be made. */
  budget: number;
  /** Set once the node has shown that it executes a call without reads. */
  probe: Promise<unknown> | undefined;
}

/**
 * Reads contracts in as few eth_calls as possible, each of which also reads its block. A read that makes its call fail, by
 * using all gas or returning megabytes, is separated from the others by halving. Calls that saw a later block than another
 * are repeated at the earliest one.
 *
 * @throws the error of the node or the transport, as well when the node cannot execute a call without reads
 */
export async function readAtOneBlock<Result>(
  client: PublicClient,
  request: BlockReadsRequest<Result>,
): Promise<BlockReads<Result>> {
  const indexes = [...request.reads.keys()];
  const chunks: number[][] = [];
  for (let start = 0; start < indexes.length; start += MAX_READS_PER_CALL) {
    chunks.push(indexes.slice(start, start + MAX_READS_PER_CALL));
  }
  if (chunks.length === 0) chunks.push([]);
  const session: Session<Result> = { client, request, budget: 2 * chunks.length + MAX_EXTRA_CALLS, probe: undefined };
  const first = (await Promise.all(chunks.map((chunk) => readPart(session, chunk)))).flat();
  const block = await earliestBlock(session, first);
  const aligned = await Promise.all(first.map((portion) => alignedTo(session, portion, block)));
  const portions = (await Promise.all(aligned.map((portion) => withCertainReverts(session, portion, block)))).flat();
  const outcomes = new Map(portions.flatMap(({ results }) => [...results]));
  return { block, outcomes: indexes.map((index) => outcomes.get(index) ?? { status: 'unread' }) };
}

/** Reads the part in one call, or in halves when the call fails because of what is in it. */
async function readPart<Result>(
  session: Session<Result>,
  part: readonly number[],
): Promise<readonly Portion<Result>[]> {
  if (session.budget <= 0) return [];
  session.budget -= 1;
  try {
    return [await callAggregate(session.client, { ...session.request, part, blockNumber: undefined })];
  } catch (error) {
    if (!isExecutionFailure(error) || part.length === 0) throw error;
    await assertNodeWorks(session);
    if (part.length === 1) return [failedAlone(part)];
    const half = Math.ceil(part.length / 2);
    const halves = [part.slice(0, half), part.slice(half)];
    const read = await Promise.all(halves.map((items) => readPart(session, items)));
    return read.flat().map(split);
  }
}

/** A read that fails alone, after it was separated from others, is one that made their call fail. */
function split<Result>(portion: Portion<Result>): Portion<Result> {
  const results = portion.results.size === 1 ? new Map([...portion.results].map(asBreaking)) : portion.results;
  return { ...portion, results, isSplit: true };
}

const asBreaking = <Result>([index, outcome]: readonly [number, ReadOutcome<Result>]): readonly [
  number,
  ReadOutcome<Result>,
] => [index, outcome.status === 'reverted' ? { status: 'reverted', brokeMulticall: true } : outcome];

const failedAlone = <Result>(part: readonly number[]): Portion<Result> => ({
  block: undefined,
  emptyReverts: [],
  isSplit: true,
  results: new Map(part.map((index) => [index, { status: 'reverted', brokeMulticall: true }])),
});

/** A node that fails to execute even an empty call is at fault, not the contracts. One call for each request. */
async function assertNodeWorks<Result>(session: Session<Result>): Promise<void> {
  session.probe ??= callAggregate(session.client, { ...session.request, part: [], blockNumber: undefined });
  await session.probe;
}

async function earliestBlock<Result>(
  session: Session<Result>,
  portions: readonly Portion<Result>[],
): Promise<BlockHead> {
  const [first, ...others] = portions.flatMap(({ block }) => block ?? []);
  if (first !== undefined) return others.reduce((lowest, head) => (head.number < lowest.number ? head : lowest), first);
  // Every read failed alone: only an empty call reports a block.
  const empty = await callAggregate(session.client, { ...session.request, part: [], blockNumber: undefined });
  return empty.block;
}

/** Repeats a call that saw a later block. Without a response its reads count as unread, because they are of another block. */
async function alignedTo<Result>(
  session: Session<Result>,
  portion: Portion<Result>,
  { number }: BlockHead,
): Promise<Portion<Result>> {
  if (portion.block === undefined || portion.block.number === number) return portion;
  const hasValues = [...portion.results.values()].some(({ status }) => status !== 'reverted');
  if (!hasValues) return portion;
  const part = [...portion.results.keys()];
  const again = await readAgain(session, part, number);
  return { ...portion, emptyReverts: [], results: new Map(), ...again, isSplit: portion.isSplit };
}

/**
 * A read that reverts without data may have run out of the gas that another one used up: it is read alone. When that fails,
 * the first result stands.
 */
async function withCertainReverts<Result>(
  session: Session<Result>,
  portion: Portion<Result>,
  { number }: BlockHead,
): Promise<readonly Portion<Result>[]> {
  if (portion.results.size < 2) return [portion];
  const again = await Promise.all(portion.emptyReverts.map((index) => readAgain(session, [index], number)));
  const alone = again.flatMap((read) => read ?? []);
  return [portion, ...(portion.isSplit ? alone.map(split) : alone)];
}

/** `undefined` when the node does not execute the call, or no call is left. */
async function readAgain<Result>(
  session: Session<Result>,
  part: readonly number[],
  blockNumber: bigint,
): Promise<Portion<Result> | undefined> {
  if (session.budget <= 0) return undefined;
  session.budget -= 1;
  return callAggregate(session.client, { ...session.request, part, blockNumber }).catch(() => undefined);
}
