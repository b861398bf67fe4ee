import type { Address } from 'viem';
import type { UnsignedCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import type { Rpc } from '../../../rpc/rpc';
import { type Approval, approveCall, approveCallsWithReset } from './approvals';
import { type CallEffects, simulateEffects, type WatchedBalance } from './simulate-effects';

export interface SwapSimulationRequest {
  /** The call to be sent, with its tag. */
  readonly swap: UnsignedCall;
  /** The missing approval; `undefined` when the allowance suffices. */
  readonly approval: Approval | undefined;
  /** True when the allowance is not zero: some tokens then require a reset to zero. */
  readonly hasAllowance: boolean;
  /** Human-readable shortage of the sender's funds. */
  readonly shortage: string | undefined;
  /** True when the swap calls the chain's contract of the wrapped native coin, and no other one. */
  readonly callsWrappedNative: boolean;
  /** Balances to compare before and after. */
  readonly watched: readonly WatchedBalance[];
  readonly signal: AbortSignal;
}

export interface SwapSimulation {
  readonly approvals: readonly UnsignedCall[];
  readonly simulation: SimulationView;
  /** Gas units of the swap with a margin; `undefined` when the simulation failed. */
  readonly gasLimit: bigint | undefined;
  /** Effects of all calls; `undefined` when the simulation failed. */
  readonly effects: CallEffects | undefined;
}

type Simulate = Pick<Rpc, 'simulate'>;

/** Simulates approvals and swap together, so that the approvals need not be mined first. */
export async function simulateSwap(rpc: Simulate, request: SwapSimulationRequest): Promise<SwapSimulation> {
  const { approval, hasAllowance } = request;
  const plain = await run(rpc, request, approval === undefined ? [] : [approveCall(approval)]);
  if (approval === undefined || !hasAllowance || plain.approved) return plain;
  const reset = await run(rpc, request, approveCallsWithReset(approval));
  return reset.approved ? reset : plain;
}

interface SimulationRun extends SwapSimulation {
  /** False when the token refused an approval. True when nothing could be simulated. */
  readonly approved: boolean;
}

async function run(
  rpc: Simulate,
  request: SwapSimulationRequest,
  approvals: readonly UnsignedCall[],
): Promise<SimulationRun> {
  const { swap, shortage, callsWrappedNative, watched, signal } = request;
  const { chainId, from: sender } = swap;
  const stateOverrides = callsWrappedNative ? withoutCode(sender) : undefined;
  const calls = [...approvals, swap];
  const effects = await simulateEffects(rpc, { chainId, sender, calls, watched, stateOverrides, signal });
  const unsimulated = { approvals, gasLimit: undefined, effects: undefined };
  if (typeof effects === 'string') {
    const simulation = shortageOr(shortage, { status: 'UNAVAILABLE', reason: effects });
    return { ...unsimulated, approved: true, simulation };
  }
  const results = effects.calls;
  const approved = results.slice(0, approvals.length).every(({ ok }) => ok);
  const failed = results.find(({ ok }) => !ok);
  if (failed === undefined) {
    const simulation: SimulationView = { status: 'SUCCESS', reason: undefined };
    return { approvals, approved, gasLimit: withGasMargin(results.at(-1)?.gasUsed), simulation, effects };
  }
  const reason = `${approved ? 'the swap' : 'the approval'}: ${failed.revertReason ?? 'failed'}`;
  return { ...unsimulated, approved, simulation: shortageOr(shortage, { status: 'REVERTED', reason }) };
}

/**
 * The contract of the wrapped native coin sends the coin with 2,300 gas. That is too little for the proxy of a smart account,
 * unless the same transaction has called the account before, as it does when the account executes the call. The simulated
 * call does not come from the account's code, so that code is removed. A venue must not be simulated like this: its contracts
 * could detect the difference.
 */
export const withoutCode = (sender: string) => ({ [sender as Address]: { code: '0x' as const } });

/** A shortage of funds takes precedence: it explains the revert. */
const shortageOr = (shortage: string | undefined, simulation: SimulationView): SimulationView =>
  shortage === undefined ? simulation : { status: 'INSUFFICIENT_BALANCE', reason: shortage };

/** A fifth more than the simulation used: prices move, and gas refunds are paid only after execution. */
export const withGasMargin = (gasUsed: bigint | undefined): bigint | undefined =>
  gasUsed === undefined ? undefined : (gasUsed * 6n + 4n) / 5n;
