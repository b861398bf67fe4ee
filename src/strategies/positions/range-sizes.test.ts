import type { CustomerId } from '../../auth/principal';
import { createRangeSizes, type WalkKey } from './range-sizes';

const walk = (wallet: '0x1' | '0x2', chainId = 1): WalkKey => ({
  owner: { customerId: 'c' as CustomerId, wallet },
  chainId,
});

describe('the sizes of ranges', () => {
  it('are smaller for one walk only when its own logs are too many', () => {
    const sizes = createRangeSizes();
    sizes.refused(walk('0x1'), { requested: 5000n });
    sizes.refused(walk('0x1'), { requested: 2500n, suggested: 3 });
    expect([sizes.get(walk('0x1')), sizes.get(walk('0x2')), sizes.get(walk('0x1', 2))]).toEqual([3n, 5000n, 5000n]);
  });

  it('grow again to those of the chain', () => {
    const sizes = createRangeSizes();
    sizes.refused(walk('0x1'), { requested: 5000n });
    for (let count = 0; count < 4; count += 1) sizes.accepted(walk('0x1'));
    expect([sizes.get(walk('0x1')), sizes.get(walk('0x2'))]).toEqual([5000n, 5000n]);
  });

  it('hold for all walks of a chain when its node states them as its maximum', () => {
    const sizes = createRangeSizes();
    sizes.refused(walk('0x1'), { requested: 5000n, suggested: 3, maximum: 800 });
    expect([sizes.get(walk('0x1')), sizes.get(walk('0x2')), sizes.get(walk('0x2', 2))]).toEqual([3n, 800n, 5000n]);
  });
});
