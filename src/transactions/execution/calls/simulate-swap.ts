import type { UnsignedCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import type { Rpc } from '../../../rpc/rpc';
import { type Approval, approveCall, approveCallsWithReset } from './approvals';
import { type Effects, simulateEffects, type WatchedBalance } from './simulate-effects';

export interface SwapTrial {
  /** The call as it will be sent: with its tag. */
  readonly swap: UnsignedCall;
  /** The allowance that the swap lacks; `undefined` when it has enough. */
  readonly approval: Approval | undefined;
  /** True when the spender may take something already: some tokens then insist on a reset to zero. */
  readonly hasAllowance: boolean;
  /** What the sender lacks, in words. */
  readonly shortage: string | undefined;
  /** Balances that are weighed before and after. */
  readonly watched: readonly WatchedBalance[];
  readonly signal: AbortSignal;
}

export interface TriedSwap {
  readonly approvals: readonly UnsignedCall[];
  readonly simulation: SimulationView;
  /** Gas units of the swap with a margin; `undefined` when it did not succeed. */
  readonly gasLimit: bigint | undefined;
  /** What all of it did; `undefined` when it did not succeed. */
  readonly effects: Effects | undefined;
}

type Simulate = Pick<Rpc, 'simulate'>;

/** Tries approvals and swap together, so that an approval that is not mined yet does not matter. */
export async function trySwap(rpc: Simulate, trial: SwapTrial): Promise<TriedSwap> {
  const { approval, hasAllowance } = trial;
  const plain = await run(rpc, trial, approval === undefined ? [] : [approveCall(approval)]);
  if (approval === undefined || !hasAllowance || plain.approved) return plain;
  const reset = await run(rpc, trial, approveCallsWithReset(approval));
  return reset.approved ? reset : plain;
}

interface Run extends TriedSwap {
  /** False when the token refused an approval; true as well when nothing could be tried. */
  readonly approved: boolean;
}

async function run(rpc: Simulate, trial: SwapTrial, approvals: readonly UnsignedCall[]): Promise<Run> {
  const { swap, shortage, watched, signal } = trial;
  const { chainId, from: sender } = swap;
  const effects = await simulateEffects(rpc, { chainId, sender, calls: [...approvals, swap], watched, signal });
  const untried = { approvals, gasLimit: undefined, effects: undefined };
  if (typeof effects === 'string') {
    const simulation = shortageOr(shortage, { status: 'UNAVAILABLE', reason: effects });
    return { ...untried, approved: true, simulation };
  }
  const { calls } = effects;
  const approved = calls.slice(0, approvals.length).every(({ ok }) => ok);
  const failed = calls.find(({ ok }) => !ok);
  if (failed === undefined) {
    const simulation: SimulationView = { status: 'SUCCESS', reason: undefined };
    return { approvals, approved, gasLimit: withMargin(calls.at(-1)?.gasUsed), simulation, effects };
  }
  const reason = `${approved ? 'the swap' : 'the approval'}: ${failed.revertReason ?? 'failed'}`;
  return { ...untried, approved, simulation: shortageOr(shortage, { status: 'REVERTED', reason }) };
}

/** Whoever lacks the funds need not be told in what way that makes the call fail. */
const shortageOr = (shortage: string | undefined, simulation: SimulationView): SimulationView =>
  shortage === undefined ? simulation : { status: 'INSUFFICIENT_BALANCE', reason: shortage };

/** A fifth more than was used: prices move, and refunds come only after the gas was there. */
export const withMargin = (gasUsed: bigint | undefined): bigint | undefined =>
  gasUsed === undefined ? undefined : (gasUsed * 6n + 4n) / 5n;
