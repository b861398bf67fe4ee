import type { Address } from 'viem';
import type { Chain } from './chain';

/** Tokens that a trade passes, from the one that is sold to the one that is bought. */
export type TradingPath = readonly [Address, Address, ...Address[]];

/** The ways from one ERC-20 to another worth trying: direct, and through each connector of the chain. */
export function tradingPaths(chain: Chain, tokenIn: Address, tokenOut: Address): readonly TradingPath[] {
  const connectors = chain.connectors.filter((connector) => connector !== tokenIn && connector !== tokenOut);
  return [[tokenIn, tokenOut], ...connectors.map((connector): TradingPath => [tokenIn, connector, tokenOut])];
}
