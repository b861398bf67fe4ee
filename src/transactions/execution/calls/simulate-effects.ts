import { isServiceError } from '../../../errors/service-error';
import type { UnsignedCall } from '../../../venues/quote-provider';
import type { ContractRead } from '../../../rpc/contract-read';
import { balanceRead } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import type { SimulatedCall, SimulationOptions } from '../../../rpc/simulate';

/** A balance that is compared before and after. */
export interface WatchedBalance {
  /** Address of an ERC-20, or of the native coin. */
  readonly token: string;
  readonly owner: string;
}

/** Amounts in contracts, whose sum is compared before and after. */
export interface WatchedReads {
  readonly reads: readonly ContractRead<bigint>[];
}

export interface EffectsRequest {
  readonly chainId: number;
  /** Wallet that sends the calls. */
  readonly sender: string;
  readonly calls: readonly UnsignedCall[];
  readonly watched: readonly (WatchedBalance | WatchedReads)[];
  readonly stateOverrides?: SimulationOptions['stateOverrides'];
  readonly signal: AbortSignal;
}

/** The effects of calls that were simulated together. */
export interface CallEffects {
  /** Result of each call. */
  readonly calls: readonly SimulatedCall[];
  /** Gain of each watched balance or sum, in base units; negative for a loss, `undefined` when it is unreadable. */
  readonly gains: readonly (bigint | undefined)[];
}

/**
 * Simulates the calls in order on the latest block, and reads the watched balances before the first and after the last
 * call, all in one simulation. Gas is free in it, so that balances of the native coin are comparable too.
 *
 * Returns the reason as text when the node cannot simulate.
 */
export async function simulateEffects(
  rpc: Pick<Rpc, 'simulate'>,
  request: EffectsRequest,
): Promise<CallEffects | string> {
  const { chainId, sender, calls, watched, stateOverrides, signal } = request;
  const readsOf = watched.map((each) => ('reads' in each ? each.reads : [balanceRead(each)]));
  const reads = readsOf.flat();
  const balanceCalls = reads.map(({ to, data }) => ({ from: sender, to, data, value: 0n }));
  let results: readonly SimulatedCall[];
  try {
    results = await rpc.simulate(chainId, [...balanceCalls, ...calls, ...balanceCalls], { stateOverrides, signal });
  } catch (error) {
    if (isServiceError(error)) return error.message;
    throw error;
  }
  const before = results.slice(0, reads.length);
  const after = results.slice(reads.length + calls.length);
  return {
    calls: results.slice(reads.length, reads.length + calls.length),
    gains: gainsOf(readsOf, { before, after }),
  };
}

function gainsOf(
  readsOf: readonly (readonly ContractRead<bigint>[])[],
  { before, after }: { readonly before: readonly SimulatedCall[]; readonly after: readonly SimulatedCall[] },
): CallEffects['gains'] {
  let next = 0;
  return readsOf.map((reads) => {
    const differences = reads.map((read, index) =>
      difference(balanceIn(read, before[next + index]), balanceIn(read, after[next + index])),
    );
    next += reads.length;
    return differences.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0n);
  });
}

const difference = (before: bigint | undefined, after: bigint | undefined): bigint | undefined =>
  before === undefined || after === undefined ? undefined : after - before;

function balanceIn(read: ContractRead<bigint>, result: SimulatedCall | undefined): bigint | undefined {
  if (result?.ok !== true || result.returnData === '0x') return undefined;
  try {
    return read.decode(result.returnData);
  } catch {
    return undefined; // not a token: the return data has another shape
  }
}
