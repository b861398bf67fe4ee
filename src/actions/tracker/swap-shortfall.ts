import { isNativeToken, isSameAddress } from '../../chains/addresses';
import { shortfallOf } from '../amounts/shortfall';
import type { SubmittedStep } from './submitted-steps';

/**
 * How a swap within one chain fell short, although its transaction succeeded: what a venue's calldata really enforces only
 * the venue knows. `undefined` as well where events do not tell: of the native coin, and of its wrapper, which may be
 * minted without one.
 */
export function swapShortfall(
  { kind, chainId, action }: Pick<SubmittedStep, 'kind' | 'chainId' | 'action'>,
  { received, wrappedNative }: { readonly received: bigint | undefined; readonly wrappedNative: string | undefined },
): string | undefined {
  const { chainIdIn, chainIdOut, tokenOut } = action;
  if (kind !== 'SWAP' || chainId !== chainIdIn || chainId !== chainIdOut || isNativeToken(tokenOut)) return undefined;
  const isWrapper = isSameAddress(tokenOut, wrappedNative);
  if (received === undefined && isWrapper) return undefined;
  return shortfallOf(action, { arrived: received, flaw: undefined });
}
