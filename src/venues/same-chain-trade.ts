import type { Address } from 'viem';
import { tradedToken } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { type BaseUnits, toBaseUnits } from '../money/base-units';
import { lessShare, plusShare } from '../money/slippage';
import type { ProviderQuote, QuoteRequest } from './quote-provider';

/** A swap of two different ERC-20s on one EVM chain; the native coin stands as its wrapper. */
export interface SameChainTrade {
  readonly chain: Chain;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

type TradedPair = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** `undefined` when the request is anything else, wrapping and unwrapping included. */
export function sameChainTrade({ origin, destination, ...tokens }: TradedPair): SameChainTrade | undefined {
  if (origin.kind !== 'evm' || origin.chainId !== destination.chainId) return undefined;
  const tokenIn = tradedToken(origin, tokens.tokenIn.address as Address);
  const tokenOut = tradedToken(origin, tokens.tokenOut.address as Address);
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined;
  return { chain: origin, tokenIn, tokenOut };
}

type ProtectedAmounts = Pick<ProviderQuote, 'amountIn' | 'maxAmountIn' | 'expectedAmountOut' | 'minAmountOut'>;

/** The amounts of a quote with the slippage of the request on the side that was not asked for. */
export function protectedAmounts(
  { side, slippage }: Pick<QuoteRequest, 'side' | 'slippage'>,
  priced: { readonly amountIn: bigint; readonly amountOut: bigint },
): ProtectedAmounts {
  const amountIn = toBaseUnits(priced.amountIn);
  const expectedAmountOut = toBaseUnits(priced.amountOut);
  if (side === 'out') {
    return { amountIn, maxAmountIn: plusShare(amountIn, slippage), expectedAmountOut, minAmountOut: expectedAmountOut };
  }
  return { amountIn, maxAmountIn: amountIn, expectedAmountOut, minAmountOut: leastOf(expectedAmountOut, slippage) };
}

/** A minimum of nothing would protect from nothing. */
function leastOf(expected: BaseUnits, slippage: QuoteRequest['slippage']): BaseUnits {
  const least = lessShare(expected, slippage);
  return least > 0n ? least : toBaseUnits(1n);
}
