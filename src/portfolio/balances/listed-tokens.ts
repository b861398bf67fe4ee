import { parseAddress } from '../../chains/addresses';
import type { Chain, ListedToken } from '../../chains/chain';

const tokensOfChains = new WeakMap<Chain, ReadonlyMap<string, ListedToken>>();

/** The tokens that the deployment lists on a chain, by canonical address. */
export function listedTokens(chain: Chain): ReadonlyMap<string, ListedToken> {
  const cached = tokensOfChains.get(chain);
  if (cached !== undefined) return cached;
  const tokens = new Map(
    chain.tokens.map((token) => [parseAddress(chain.kind, token.address) ?? token.address, token]),
  );
  tokensOfChains.set(chain, tokens);
  return tokens;
}
