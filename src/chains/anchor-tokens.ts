import type { Chain } from './chain';

/** The tokens of a chain that its operator vouches for: what others are routed through and priced in. */
export function anchorTokens(chain: Chain): ReadonlySet<string> {
  const wrapped = chain.wrappedNative === undefined ? [] : [chain.wrappedNative];
  return new Set([...chain.dollarTokens, ...wrapped, ...chain.connectors]);
}
