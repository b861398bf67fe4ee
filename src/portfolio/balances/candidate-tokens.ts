import type { CustomerId } from '../../auth/principal';
import { isNativeToken, parseAddress } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import type { TokenBalanceDeps } from './balance-deps';
import { listedTokens } from './listed-tokens';
import { findPinnedTokens } from './pinned-tokens';
import type { ChainToken } from './token-source';

/** Tokens of one wallet's history that are read, on all chains together. */
const MAX_SEEN_TOKENS = 400;

/** Tokens that a wallet may hold, besides the native coins. */
export interface CandidateTokens {
  readonly pinned: readonly ChainToken[];
  readonly seen: readonly ChainToken[];
  /** True when the wallet may have more tokens than these. */
  readonly isTruncated: boolean;
}

/** The pinned tokens of wallets, and those that the service has seen them receive or send. Two queries for all wallets. */
export async function findCandidateTokens(
  deps: Pick<TokenBalanceDeps, 'database' | 'seenTokens'>,
  query: { readonly customerId: CustomerId; readonly wallets: readonly string[] },
): Promise<ReadonlyMap<string, CandidateTokens>> {
  const [pinned, seen] = await Promise.all([
    findPinnedTokens(deps, query),
    deps.seenTokens.tokensOf({ ...query, limit: MAX_SEEN_TOKENS }),
  ]);
  return new Map(
    query.wallets.map((wallet, index) => {
      const { tokens = [], isTruncated = false } = seen.get(wallet) ?? {};
      return [wallet, { pinned: pinned[index] ?? [], seen: tokens, isTruncated }];
    }),
  );
}

/** Canonical addresses of the tokens to read on a chain: pinned, then seen, then listed ones. Without duplicates. */
export function tokensOnChain(chain: Chain, candidates: CandidateTokens | undefined): readonly string[] {
  const known = [...(candidates?.pinned ?? []), ...(candidates?.seen ?? [])]
    .filter(({ chainId }) => chainId === chain.chainId)
    .flatMap(({ token }) => parseAddress(chain.kind, token) ?? []);
  return [...new Set([...known, ...listedTokens(chain).keys()])].filter((token) => !isNativeToken(token));
}
