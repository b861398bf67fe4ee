import type { Address } from 'viem';
import { tradedToken } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import type { QuoteRequest } from './quote-provider';

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
