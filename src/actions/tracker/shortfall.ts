import { isNativeToken } from '../../chains/addresses';
import { formatBaseUnits } from '../../money/base-units';
import type { SubmittedStep } from './submitted-steps';

type Bought = Pick<SubmittedStep['action'], 'unitOut' | 'minAmountOut'>;

/**
 * How what a delivery brought falls short of what was bought, in words for its customer; `undefined` when it does not.
 *
 * `flaw` is what is known to be wrong with it besides the amount.
 */
export function shortfallOf(
  { unitOut, minAmountOut }: Bought,
  { arrived = 0n, flaw }: { readonly arrived: bigint | undefined; readonly flaw: string | undefined },
): string | undefined {
  const { symbol, decimals } = unitOut;
  const told = (amount: bigint): string => `${formatBaseUnits(amount, decimals)} ${symbol}`;
  if (flaw !== undefined) return `${flaw}; of ${symbol} arrived ${formatBaseUnits(arrived, decimals)}`;
  if (arrived >= minAmountOut) return undefined;
  return `Only ${told(arrived)} arrived, less than the minimum of ${told(minAmountOut)}`;
}

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
  const isWrapper = tokenOut.toLowerCase() === wrappedNative?.toLowerCase();
  if (received === undefined && isWrapper) return undefined;
  return shortfallOf(action, { arrived: received, flaw: undefined });
}
