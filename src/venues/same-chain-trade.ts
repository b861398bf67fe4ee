import type { Address } from 'viem';
import { tradedToken } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { type BaseUnits, toBaseUnits } from '../money/base-units';
import { subtractShare, addShare } from '../money/slippage';
import type { ProviderQuote, QuoteRequest } from './quote-provider';
import { maxBigInt } from '../money/min-max';

/** A swap of two different ERC-20s on one EVM chain; the native coin is represented by its wrapper token. */
export interface SameChainTrade {
  readonly chain: Chain;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

type TradedPair = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** Returns `undefined` for any other request, including wrapping and unwrapping of the native coin. */
export function sameChainTrade({ origin, destination, ...tokens }: TradedPair): SameChainTrade | undefined {
  if (origin.kind !== 'evm' || origin.chainId !== destination.chainId) return undefined;
  const tokenIn = tradedToken(origin, tokens.tokenIn.address as Address);
  const tokenOut = tradedToken(origin, tokens.tokenOut.address as Address);
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined;
  return { chain: origin, tokenIn, tokenOut };
}

type ProtectedAmounts = Pick<ProviderQuote, 'amountIn' | 'maxAmountIn' | 'expectedAmountOut' | 'minAmountOut'>;

/** The amounts of a quote, with the slippage of the request applied to the side that is not exact. */
export function protectedAmounts(
  { side, slippage }: Pick<QuoteRequest, 'side' | 'slippage'>,
  priced: { readonly amountIn: bigint; readonly amountOut: bigint },
): ProtectedAmounts {
  const amountIn = toBaseUnits(priced.amountIn);
  const expectedAmountOut = toBaseUnits(priced.amountOut);
  if (side === 'out') {
    return { amountIn, maxAmountIn: addShare(amountIn, slippage), expectedAmountOut, minAmountOut: expectedAmountOut };
  }
  return { amountIn, maxAmountIn: amountIn, expectedAmountOut, minAmountOut: minimumOut(expectedAmountOut, slippage) };
}

/** At minimum one base unit: a minimum of zero would protect nothing. */
function minimumOut(expected: BaseUnits, slippage: QuoteRequest['slippage']): BaseUnits {
  const minimum = subtractShare(expected, slippage);
  return maxBigInt(minimum, toBaseUnits(1n));
}
