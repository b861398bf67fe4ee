import { describedPosition, describedTokens } from '../../../test/portfolio/described-tokens';
import { keepUnavailableChains } from './keep-unavailable-chains';
import type { TokenPosition } from './wallet-tokens';

const NOW = new Date('2026-01-01T12:00:00Z');
const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000);

const position = (chainId: number, dollars: bigint, options: Partial<TokenPosition> = {}): TokenPosition =>
  describedPosition(chainId, dollars, { asOf: hoursAgo(1), ...options });
const tokensOf = describedTokens;

describe('the tokens of a chain that is unavailable', () => {
  it('are those of the former reading, stale, and count in the total', () => {
    const former = tokensOf([position(1, 7n), position(2, 5n)]);
    const kept = keepUnavailableChains(tokensOf([position(1, 3n)], [2]), former, NOW);
    expect(kept.positions.map(({ chainId, stale }) => [chainId, stale])).toEqual([
      [2, true],
      [1, false],
    ]);
    expect([kept.totalUsd, kept.totalBrl, kept.stalePositions]).toEqual([8_000_000n, 40_000_000n, 1]);
    expect(kept.oldestAsOf).toEqual(hoursAgo(1));
  });

  it('have the errors of their tokens, without those of other chains', () => {
    const error = (chainId: number) => ({ code: 'PRICE_MISSING', message: 'm', chainId, address: 'a' });
    const former = { ...tokensOf([position(1, 7n), position(2, 5n)]), errors: [error(1), error(2)] };
    const { errors } = keepUnavailableChains(tokensOf([position(1, 3n)], [2]), former, NOW);
    expect(errors.map(({ code, chainId }) => [code, chainId])).toEqual([
      ['PROVIDER_UNAVAILABLE', 2],
      ['PRICE_MISSING', 2],
    ]);
  });

  it('are left out when the former ones are older than six hours, hidden ones do not count', () => {
    const old = tokensOf([position(2, 5n, { asOf: hoursAgo(7) })]);
    const now = tokensOf([position(1, 3n)], [2]);
    expect(keepUnavailableChains(now, old, NOW)).toBe(now);
    const hidden = tokensOf([position(2, 5n, { isHidden: true })]);
    expect(keepUnavailableChains(now, hidden, NOW)).toMatchObject({ totalUsd: 3_000_000n, stalePositions: 0 });
  });

  it('are not replaced on chains that were read, and those without an error that are empty stay empty', () => {
    const former = tokensOf([position(1, 7n), position(2, 5n)]);
    const now = tokensOf([position(1, 3n)], [1]);
    expect(keepUnavailableChains(now, former, NOW)).toBe(now);
    expect(keepUnavailableChains(now, undefined, NOW)).toBe(now);
  });
});
