import { describedPosition, describedTokens } from '../../../test/portfolio/described-tokens';
import { walletTokensView } from './view';

const spam = describedPosition(2, 5n, { isHidden: true });
const tokens = describedTokens([describedPosition(1, 7n), spam]);
const computedAt = new Date(0);

describe('the view of last known tokens', () => {
  it('has all of them stale, counts those that are shown, and leaves the view of fresh ones as it is', () => {
    for (const isStale of [false, true, false]) {
      const view = walletTokensView({ value: tokens, computedAt, isStale }, { includeSpam: false });
      expect(view.positions.map(({ stale }) => stale)).toEqual([isStale]);
      expect(view.shown.map(({ stale }) => stale)).toEqual([isStale]);
      expect(view.staleness.stalePositions).toBe(isStale ? 1 : 0);
      expect(view).toMatchObject({ isStale, computedAt, summary: { totalAmountInUSD: '12' } });
    }
  });

  it('has stale spam on request, which does not count', () => {
    const view = walletTokensView({ value: tokens, computedAt, isStale: true }, { includeSpam: true });
    expect(view.positions.map(({ stale }) => stale)).toEqual([true, true]);
    expect(view.staleness.stalePositions).toBe(1);
  });
});
