import type { LargestTrade } from './largest-trade';
import { createLargestTrades } from './largest-trades';

const tradeOf = (amountIn: bigint | undefined): LargestTrade => ({
  accepted: amountIn === undefined ? undefined : { amountIn, amountOut: amountIn, impactBps: 1400 },
  rejected: { amountIn: 2000n, impactBps: 5000 },
});

/** Searches that find these inputs in order, and count themselves. */
function searching(...inputs: readonly (bigint | undefined)[]) {
  const trades = createLargestTrades();
  const seen = { searches: 0 };
  const search = async (): Promise<LargestTrade> => {
    const found = inputs[seen.searches];
    seen.searches += 1;
    await new Promise(setImmediate);
    return tradeOf(found);
  };
  const find = async (refusedIn: bigint, key = 'route') =>
    (await trades.findOrSearch({ key, refusedIn, search }))?.amountIn;
  return { trades, seen, find };
}

describe('the largest trades that were found', () => {
  it('serve every larger amount of the same key, and no other', async () => {
    const { find, seen } = searching(100n, 7n, 50n);
    expect([await find(1000n), await find(101n), await find(5000n)]).toEqual([100n, 100n, 100n]);
    expect(seen.searches).toBe(1);
    expect(await find(100n)).toBe(7n);
    expect(await find(1000n, 'other')).toBe(50n);
    expect(seen.searches).toBe(3);
  });

  it('are found by one search for callers at the same time', async () => {
    const { find, seen } = searching(100n);
    expect(await Promise.all([find(1000n), find(900n), find(1000n)])).toEqual([100n, 100n, 100n]);
    expect(seen.searches).toBe(1);
  });

  it('are searched again for an amount that the search of another caller does not serve', async () => {
    const tooLarge = searching(100n, 30n);
    expect(await Promise.all([tooLarge.find(1000n), tooLarge.find(50n), tooLarge.find(50n)])).toEqual([100n, 30n, 30n]);
    expect(tooLarge.seen.searches).toBe(2);
    const none = searching(undefined, 30n);
    expect(await Promise.all([none.find(1000n), none.find(50n)])).toEqual([undefined, 30n]);
  });

  it('are not kept when none was found', async () => {
    const { find, trades } = searching(undefined, 30n);
    expect(await find(1000n)).toBeUndefined();
    expect(trades.find({ key: 'route', refusedIn: 1000n })).toBeUndefined();
    expect(await find(1000n)).toBe(30n);
    expect(trades.find({ key: 'route', refusedIn: 1000n })?.amountIn).toBe(30n);
  });

  it('are not waited for by a caller that leaves', async () => {
    const trades = createLargestTrades();
    const search = (signal: AbortSignal) =>
      new Promise<LargestTrade>((resolve) => {
        signal.addEventListener('abort', () => resolve(tradeOf(undefined)));
      });
    const leaving = new AbortController();
    const left = trades.findOrSearch({ key: 'route', refusedIn: 1000n, search }, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
  });
});
