import { isNativeToken, isSameAddress } from '../../chains/addresses';
import { MAX_DRIFT_PPM, shortfallOf } from '../amounts/shortfall';
import type { SubmittedStep } from './submitted-steps';

type Step = Pick<SubmittedStep, 'kind' | 'chainId' | 'isLast' | 'action'>;

/**
 * Shortfall of the last step of an action on one chain whose transaction succeeded: the calldata of a venue may not enforce
 * the minimum, and that of a strategy does not. `undefined` also for the native coin and its wrapper, whose amounts events
 * may not show, for a deposit or withdrawal whose amount is unknown, and for a swap before another step, which fails itself
 * when the swap brings too little.
 */
export function swapShortfall(
  { kind, chainId, isLast, action }: Step,
  { received, wrappedNative }: { readonly received: bigint | undefined; readonly wrappedNative: string | undefined },
): string | undefined {
  const { chainIdIn, chainIdOut, tokenOut } = action;
  if (!isLast || chainId !== chainIdIn || chainId !== chainIdOut || isNativeToken(tokenOut)) return undefined;
  const isOfStrategy = kind === 'DEPOSIT' || kind === 'WITHDRAW';
  if (kind !== 'SWAP' && !isOfStrategy) return undefined;
  if (received === undefined && (isOfStrategy || isSameAddress(tokenOut, wrappedNative))) return undefined;
  if (kind === 'DEPOSIT' && isWithinDrift(action, received)) return undefined;
  return shortfallOf(action, { arrived: received, flaw: undefined });
}

const MILLION = 1_000_000n;

const isWithinDrift = ({ minAmountOut }: SubmittedStep['action'], received = 0n): boolean =>
  received * MILLION >= minAmountOut * (MILLION - MAX_DRIFT_PPM);
