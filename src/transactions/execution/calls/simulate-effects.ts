import { isServiceError } from '../../../errors/service-error';
import type { UnsignedCall } from '../../../venues/quote-provider';
import { balanceRead } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import type { SimulatedCall } from '../../../rpc/simulate';

/** Whose balance of what is weighed. */
export interface WatchedBalance {
  /** An ERC-20, or the native coin. */
  readonly token: string;
  readonly owner: string;
}

export interface EffectTrial {
  readonly chainId: number;
  /** Wallet that sends the calls. */
  readonly sender: string;
  readonly calls: readonly UnsignedCall[];
  readonly watched: readonly WatchedBalance[];
  readonly signal: AbortSignal;
}

/** What calls did when they were tried together. */
export interface Effects {
  /** Outcome of each call. */
  readonly calls: readonly SimulatedCall[];
  /** What each watched balance gained, in base units; negative is a loss, `undefined` could not be read. */
  readonly gains: readonly (bigint | undefined)[];
}

/**
 * Tries the calls in order on the newest block, and weighs balances before the first and after the last of them, all in
 * one simulation. Gas costs nothing in it, so that the native coin can be weighed too.
 *
 * Returns in words why nothing could be tried.
 */
export async function simulateEffects(rpc: Pick<Rpc, 'simulate'>, trial: EffectTrial): Promise<Effects | string> {
  const { chainId, sender, calls, watched, signal } = trial;
  const reads = watched.map(balanceRead);
  const scales = reads.map(({ to, data }) => ({ from: sender, to, data, value: 0n }));
  let outcomes: readonly SimulatedCall[];
  try {
    outcomes = await rpc.simulate(chainId, [...scales, ...calls, ...scales], { signal });
  } catch (error) {
    if (isServiceError(error)) return error.message;
    throw error;
  }
  const before = outcomes.slice(0, reads.length);
  const after = outcomes.slice(reads.length + calls.length);
  return {
    calls: outcomes.slice(reads.length, reads.length + calls.length),
    gains: reads.map((read, index) => difference(balanceIn(read, before[index]), balanceIn(read, after[index]))),
  };
}

const difference = (before: bigint | undefined, after: bigint | undefined): bigint | undefined =>
  before === undefined || after === undefined ? undefined : after - before;

function balanceIn(read: ReturnType<typeof balanceRead>, outcome: SimulatedCall | undefined): bigint | undefined {
  if (outcome?.ok !== true || outcome.returnData === '0x') return undefined;
  try {
    return read.decode(outcome.returnData);
  } catch {
    return undefined; // no token: it answers in another shape
  }
}
