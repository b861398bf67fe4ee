import { COW_ORDER, type ScriptedCow, scriptedCow } from '../../../../test/strategies/scripted-cow';

/** The results of cancels, each of which continues where the one before has ended. */
async function cancels(state: ScriptedCow): Promise<readonly unknown[]> {
  const { venue } = scriptedCow(state);
  const results: unknown[] = [];
  let order = COW_ORDER;
  for (let count = 0; count < 10; count += 1) {
    const outcome = await venue.invalidate(order);
    if (typeof outcome !== 'object' || !('next' in outcome)) return [...results, outcome];
    results.push(outcome.next);
    order = { ...order, fromBlock: outcome.next };
  }
  return results;
}

describe('a cancel of an order that is marked as invalid, in a wallet that holds its tokens', () => {
  const state = { head: 50_000n, balance: COW_ORDER.sellAmount };

  it('is decided by the settlement that was first, in whichever block it is', async () => {
    expect(await cancels({ ...state, filledAt: 30_000n })).toEqual([16_000n, 'filled']);
    expect(await cancels({ ...state, filledAt: 49_990n })).toEqual([16_000n, 32_000n, 48_000n, 'filled']);
  });

  it('is decided by the tokens once no block up to the newest final one has a settlement', async () => {
    expect(await cancels(state)).toEqual([16_000n, 32_000n, 48_000n, 'invalid']);
    expect(await cancels({ ...state, balance: 0n })).toEqual([16_000n, 32_000n, 48_000n, 'filled']);
  });
});
