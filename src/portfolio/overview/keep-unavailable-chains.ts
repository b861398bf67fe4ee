import { sumUsd } from '../../money/usd';
import { comparePositions } from './position-order';
import type { WalletTokens } from './wallet-tokens';

/** Older amounts say too little. */
const MAX_AGE_MS = 6 * 3_600_000;
/** Errors of one wallet that are returned. */
const MAX_ERRORS = 100;

/**
 * Tokens with the positions that a former reading had on chains that are unavailable now, marked as stale. Chains whose last
 * known positions the reading has itself stay as they are.
 */
export function keepUnavailableChains(
  tokens: WalletTokens,
  previous: WalletTokens | undefined,
  now: Date = new Date(),
): WalletTokens {
  if (previous === undefined) return tokens;
  const read = new Set(tokens.positions.map(({ chainId }) => chainId));
  const missing = new Set(
    tokens.errors
      .filter(({ address, chainId }) => address === undefined && !read.has(chainId))
      .map(({ chainId }) => chainId),
  );
  const kept = previous.positions
    .filter(({ chainId, asOf }) => missing.has(chainId) && now.getTime() - asOf.getTime() <= MAX_AGE_MS)
    .map((position) => ({ ...position, stale: true }));
  if (kept.length === 0) return tokens;
  const positions = [...tokens.positions, ...kept].sort(comparePositions);
  const shown = positions.filter(({ isHidden }) => !isHidden);
  // What the total lacks of them, as well.
  const errors = previous.errors.filter(({ chainId, address }) => address !== undefined && missing.has(chainId));
  const times = shown.map(({ asOf }) => asOf.getTime());
  return {
    ...tokens,
    positions,
    totalUsd: sumUsd(shown.flatMap(({ valueUsd }) => valueUsd ?? [])),
    totalBrl:
      tokens.totalBrl === undefined ? undefined : shown.reduce((sum, { valueBrl }) => sum + (valueBrl ?? 0n), 0n),
    stalePositions: shown.filter(({ stale }) => stale).length,
    errors: [...tokens.errors, ...errors].slice(0, MAX_ERRORS),
    oldestAsOf: times.length === 0 ? undefined : new Date(Math.min(...times)),
  };
}
