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

describe('tokens in the wallet of an order', () => {
  // 242,000 units of gas at 1 gwei and 3000 dollars: 0.726 dollars.
  const enough = 726_000n;

  it('are worth their return when they are worth more than its gas at the present price', async () => {
    const { venue } = scriptedCow({ head: 100n, balance: 0n });
    expect(await venue.isWorthGas(COW_ORDER, enough)).toBe(true);
    expect(await venue.isWorthGas(COW_ORDER, enough - 1n)).toBe(false);
    const expensive = scriptedCow({ head: 100n, balance: 0n, maxFeePerGas: 2n * 10n ** 9n });
    expect(await expensive.venue.isWorthGas(COW_ORDER, enough)).toBe(false);
    const unpriced = scriptedCow({ head: 100n, balance: 0n, coinPrice: null });
    expect(await unpriced.venue.isWorthGas(COW_ORDER, enough)).toBeUndefined();
  });

  it('end an order by their refund only when they are its amount, or worth the gas', async () => {
    const refund = async (state: Partial<ScriptedCow>) => {
      const { venue, sent } = scriptedCow({ head: 100n, balance: 0n, ...state });
      return [(await venue.refund(COW_ORDER)).kind, sent];
    };
    expect(await refund({ balance: 1n })).toEqual(['empty', []]);
    expect(await refund({ balance: enough })).toEqual(['waiting', ['order-gas']]);
    expect(await refund({ balance: 1n, coinPrice: null })).toEqual(['waiting', []]);
    const rich = { balance: COW_ORDER.sellAmount, maxFeePerGas: 10n ** 13n };
    expect(await refund(rich)).toEqual(['waiting', ['order-gas']]);
  });

  it('stay there after the order when they are dust, which is given no gas', async () => {
    const sweep = async (state: Partial<ScriptedCow>) => {
      const { venue, sent } = scriptedCow({ head: 100n, balance: 0n, ...state });
      return [await venue.sweep(COW_ORDER), sent];
    };
    expect(await sweep({ balance: 1n })).toEqual(['done', []]);
    expect(await sweep({ balance: enough })).toEqual(['waiting', ['order-gas']]);
    const unpriced = await sweep({ balance: 1n, coinPrice: null });
    expect(unpriced).toEqual([{ obstacle: 'The native coin has no price at the moment' }, []]);
  });
});
