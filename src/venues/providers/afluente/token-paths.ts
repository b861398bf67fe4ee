import type { Address } from 'viem';
import type { TokenPath } from '../../../chains/trading-paths';

/** Limit of connectors, the most liquid first: the number of paths grows with their square. */
const MAX_CONNECTORS = 6;

/** The connectors that are not an end of the trade. */
export const connectorsBetween = (connectors: readonly Address[], ends: readonly Address[]): readonly Address[] =>
  connectors.filter((connector) => !ends.includes(connector)).slice(0, MAX_CONNECTORS);

/** Token paths of a trade: direct, through one connector and through two. */
export function tokenPaths(connectors: readonly Address[], tokenIn: Address, tokenOut: Address): readonly TokenPath[] {
  const between = connectorsBetween(connectors, [tokenIn, tokenOut]);
  return [
    [tokenIn, tokenOut],
    ...between.map((connector): TokenPath => [tokenIn, connector, tokenOut]),
    ...between.flatMap((first) =>
      between.flatMap((second): TokenPath[] => (first === second ? [] : [[tokenIn, first, second, tokenOut]])),
    ),
  ];
}
