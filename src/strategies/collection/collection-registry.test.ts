import { sharesToCollect } from './collection-registry';

describe('the shares of a collection', () => {
  it('are at most what the registry allows', () => {
    expect(sharesToCollect(5n, { shares: 1000n, value: 1300n, fee: 30n })).toBe(5n);
  });

  it('are worth at most the fee of a withdrawal of everything', () => {
    expect(sharesToCollect(1000n, { shares: 1000n, value: 1300n, fee: 30n })).toBe(23n);
    expect(sharesToCollect(1000n, { shares: 1000n, value: 1300n, fee: 0n })).toBe(0n);
  });

  it('are none of a position without value', () => {
    expect(sharesToCollect(1000n, { shares: 1000n, value: 0n, fee: 30n })).toBe(0n);
  });
});
