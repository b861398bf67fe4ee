import { trustedTokens } from '../../chains/trusted-tokens';
import { serviceError } from '../../errors/service-error';
import type { PricedToken, TokenPriceSource } from '../token-price';

/** Bound of the requests to a third party by this process. */
export interface RequestBudget {
  /** Maximum number of requests at once. */
  readonly burst: number;
  /** Mean time between two requests, in milliseconds. */
  readonly intervalMs: number;
}

/** Shares of the burst that requests for other tokens leave for those that the prices of a whole chain depend on. */
const KEPT_BY_LISTED = 0.25;
const KEPT_BY_UNLISTED = 0.5;

/**
 * Keeps a source within its budget. Tokens that a caller makes up cannot use up the requests for listed ones, nor these
 * the requests for dollar tokens and other anchors.
 */
export function withinBudget(
  source: TokenPriceSource,
  { burst, intervalMs }: RequestBudget,
  now: () => number = () => performance.now(),
): TokenPriceSource {
  let available = burst;
  let countedAt = now();
  const isTaken = (kept: number): boolean => {
    const time = now();
    available = Math.min(burst, available + (time - countedAt) / intervalMs);
    countedAt = time;
    if (available < 1 || available < burst * kept) return false;
    available -= 1;
    return true;
  };
  return {
    ...source,
    async observe(tokens, signal) {
      if (isTaken(Math.min(...tokens.map(keptBy)))) return source.observe(tokens, signal);
      const reason = 'the requests of this deployment to it are used up for now';
      throw serviceError('PROVIDER_UNAVAILABLE', { provider: source.id, reason });
    },
  };
}

function keptBy({ chain, address }: PricedToken): number {
  if (trustedTokens(chain).has(address)) return 0;
  return chain.tokens.some((token) => token.address === address) ? KEPT_BY_LISTED : KEPT_BY_UNLISTED;
}
