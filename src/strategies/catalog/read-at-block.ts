import type { Chain } from '../../chains/chain';
import type { BlockHead } from '../../rpc/block-reads/block-head';
import { readAtBlock, readLatest } from '../../rpc/block-reads/read-at-one-block';
import type { ReadOutcome } from '../../rpc/block-reads/read-outcome';
import type { ContractRead } from '../../rpc/contract-read';
import type { Rpc } from '../../rpc/rpc';
import type { ProtocolRead } from '../protocols/protocol';

/** A vault may add up all of its markets for each of these reads. */
const GAS_PER_READ = 3_000_000;

export interface ChainReadDeps {
  readonly rpc: Pick<Rpc, 'request'>;
}

export interface ChainReadRequest<Result> {
  readonly chain: Chain;
  /** Each is decoded by itself: a contract that reverts does not affect the others. */
  readonly reads: readonly ProtocolRead<Result>[];
  readonly signal: AbortSignal;
}

/** `unread`: the node did not return all results. `undefined` as a value: a contract reverted, or returned something else. */
export type ReadState<Result> =
  { readonly kind: 'read'; readonly value: Result | undefined } | { readonly kind: 'unread' };

export interface BlockReading<Result> {
  readonly block: BlockHead;
  /** In the order of the requested reads. */
  readonly states: readonly ReadState<Result>[];
}

/**
 * Reads many strategies at one block, in as few eth_calls as possible: equal reads are made once, and contracts that make a
 * call fail are separated from the others.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function readProtocols<Result>(
  { rpc }: ChainReadDeps,
  { chain, reads, signal }: ChainReadRequest<Result>,
): Promise<BlockReading<Result>> {
  const positions = new Map<string, number>();
  const distinct: ContractRead<unknown>[] = [];
  for (const read of reads.flatMap((each) => each.reads)) {
    if (positions.has(keyOf(read))) continue;
    positions.set(keyOf(read), distinct.push(read) - 1);
  }
  const listed = { signal, areListed: true, gasPerRead: GAS_PER_READ };
  const { block, outcomes } = await rpc.request(chain.chainId, async (client) => {
    const first = await readLatest(client, { chain, reads: distinct, ...listed }, 0);
    const missing = [...first.outcomes.keys()].filter((index) => first.outcomes[index] === undefined);
    if (missing.length === 0) return first;
    const left = missing.flatMap((index) => distinct[index] ?? []);
    const later = await readAtBlock(client, { chain, reads: left, block: first.block, ...listed });
    const byIndex = new Map(missing.map((index, position) => [index, later[position]]));
    return { block: first.block, outcomes: first.outcomes.map((outcome, index) => outcome ?? byIndex.get(index)) };
  });
  const outcomeOf = (read: ContractRead<unknown>): ReadOutcome<unknown> | undefined =>
    outcomes[positions.get(keyOf(read)) ?? -1];
  return { block, states: reads.map((read) => stateOf(read, { block, outcomes: read.reads.map(outcomeOf) })) };
}

const keyOf = ({ to, data }: ContractRead<unknown>): string => `${to}:${data}`.toLowerCase();

/** A needed result that the node did not return makes the reading incomplete; one that nothing needs does not. */
function stateOf<Result>(
  { decode }: ProtocolRead<Result>,
  { block, outcomes }: { readonly block: BlockHead; readonly outcomes: readonly (ReadOutcome<unknown> | undefined)[] },
): ReadState<Result> {
  if (outcomes.includes(undefined)) return { kind: 'unread' };
  const values = outcomes.map((outcome) => (outcome?.status === 'read' ? outcome.value : undefined));
  return { kind: 'read', value: decode(values, block) };
}
