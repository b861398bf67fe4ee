import { isNativeToken, isSameAddress } from '../../chains/addresses';
import { shortfallOf } from '../amounts/shortfall';
import type { SubmittedStep } from './submitted-steps';

/**
 * Shortfall of a swap on one chain whose transaction succeeded: the calldata of a venue may not enforce the minimum.
 * `undefined` also for the native coin and its wrapper, whose amounts events may not show, and for a swap before another
 * step, which fails itself when the swap brings too little.
 */
export function swapShortfall(
  { kind, chainId, isLast, action }: Pick<SubmittedStep, 'kind' | 'chainId' | 'isLast' | 'action'>,
  { received, wrappedNative }: { readonly received: bigint | undefined; readonly wrappedNative: string | undefined },
): string | undefined {
  const { chainIdIn, chainIdOut, tokenOut } = action;
  if (kind !== 'SWAP' || !isLast || chainId !== chainIdIn || chainId !== chainIdOut || isNativeToken(tokenOut))
    return undefined;
  const isWrapper = isSameAddress(tokenOut, wrappedNative);
  if (received === undefined && isWrapper) return undefined;
  return shortfallOf(action, { arrived: received, flaw: undefined });
}
