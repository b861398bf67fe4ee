import { shownEarn } from '../../../src/strategies/positions/earn-snapshots';
import type { EarnPositionView } from '../../../src/strategies/positions/position-view';
import { describedEarn, scriptedStrategy } from '../../../test/strategies/described-earn';
import { walletEarnOf } from './views';

const WALLET = '0x1111111111111111111111111111111111111111';
const computedAt = new Date(0);

describe('the view of last known positions', () => {
  it('has all of them stale and counted, with the reason of the overview or their own', () => {
    const { positions, ...earn } = describedEarn([scriptedStrategy(1), scriptedStrategy(2)]);
    const [first, second] = positions as [EarnPositionView, EarnPositionView];
    const spotPosition = { ...second.spotPosition, stale: true, staleReason: 'HISTORY_INCOMPLETE' } as const;
    const value = shownEarn({ ...earn, positions: [first, { ...second, spotPosition }] });
    const old = walletEarnOf({ value, computedAt, isStale: true }, WALLET);
    const reasons = old.positions.map(({ spotPosition: { stale, staleReason } }) => [stale, staleReason]);
    expect(reasons).toEqual([
      [true, 'SNAPSHOT_STALE'],
      [true, 'HISTORY_INCOMPLETE'],
    ]);
    expect(old.staleness.stalePositions).toBe(2);
    expect(old.snapshot).toMatchObject({ state: 'computing', staleReason: 'SNAPSHOT_STALE', computedAt });
    const fresh = walletEarnOf({ value, computedAt, isStale: false }, WALLET);
    expect(fresh.positions[0]?.spotPosition).toMatchObject({ stale: false, staleReason: undefined });
    expect(fresh.snapshot.state).toBe('fresh');
  });
});
