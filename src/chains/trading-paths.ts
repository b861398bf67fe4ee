import type { Address } from 'viem';
import type { Chain } from './chain';

/** Tokens of a trade in order, from the sold to the bought token. */
export type TokenPath = readonly [Address, Address, ...Address[]];

/** The paths from one ERC-20 to another: direct, and through each connector of the chain. */
export function tradingPaths(chain: Chain, tokenIn: Address, tokenOut: Address): readonly TokenPath[] {
  const connectors = chain.connectors.filter((connector) => connector !== tokenIn && connector !== tokenOut);
  return [[tokenIn, tokenOut], ...connectors.map((connector): TokenPath => [tokenIn, connector, tokenOut])];
}
