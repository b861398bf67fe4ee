import type { Chain } from './chain';

/** The trusted tokens of a chain, which its operator lists: other tokens are routed through them and priced in them. */
export function trustedTokens(chain: Chain): ReadonlySet<string> {
  const wrapped = chain.wrappedNative === undefined ? [] : [chain.wrappedNative];
  return new Set([...chain.dollarTokens, ...wrapped, ...chain.connectors]);
}
