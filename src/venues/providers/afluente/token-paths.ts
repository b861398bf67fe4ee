import type { Address } from 'viem';

/** Tokens that a route passes, both ends included. */
export type TokenPath = readonly [Address, Address, ...Address[]];

/** Connectors that routes go through, the most liquid first: the number of paths grows with their square. */
const MAX_CONNECTORS = 6;

/** The connectors that lie between the ends of a trade. */
export const connectorsBetween = (connectors: readonly Address[], ends: readonly Address[]): readonly Address[] =>
  connectors.filter((connector) => !ends.includes(connector)).slice(0, MAX_CONNECTORS);

/** The ways from one token to another: direct, through one connector and through two. No token comes twice. */
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
