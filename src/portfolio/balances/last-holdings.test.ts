import { newCustomer } from '../../../test/actions/sample-action';
import { heldAmount, unreadableHolding, type WalletHoldings } from './holding';
import { createLastHoldings } from './last-holdings';

const holdings = (amounts: number): WalletHoldings => ({
  block: { number: 1n, timestamp: 1n },
  holdings: Array.from({ length: amounts }, (_, index) => heldAmount(`token ${index}`, 1n)),
  isTruncated: false,
});

function afterMinutes(minutes: number, act: () => void): void {
  jest.useFakeTimers({ now: Date.now() + minutes * 60_000, doNotFake: ['performance'] });
  act();
  jest.useRealTimers();
}

describe('the last holdings', () => {
  it('are those of one customer, chain and wallet', () => {
    const [one, other] = [newCustomer(), newCustomer()];
    const last = createLastHoldings();
    last.store({ customerId: one, chainId: 1, wallet: 'a' }, holdings(2));
    expect(last.find({ customerId: one, chainId: 1, wallet: 'a' })).toMatchObject(holdings(2));
    expect(last.find({ customerId: other, chainId: 1, wallet: 'a' })).toBeUndefined();
    expect(last.find({ customerId: one, chainId: 2, wallet: 'a' })).toBeUndefined();
    expect(last.find({ customerId: one, chainId: 1, wallet: 'b' })).toBeUndefined();
  });

  it('use a bounded memory: those that were read longest ago make room', () => {
    const customerId = newCustomer();
    const last = createLastHoldings({ maxHoldings: 100 });
    for (let wallet = 0; wallet < 50; wallet++) {
      last.store({ customerId, chainId: 1, wallet: String(wallet) }, holdings(9));
    }
    const kept = Array.from({ length: 50 }, (_, wallet) =>
      last.find({ customerId, chainId: 1, wallet: String(wallet) }),
    );
    expect(kept.filter((found) => found !== undefined)).toHaveLength(10);
    expect(kept[49]).toBeDefined();
  });

  it('are not replaced by those of an earlier block, or by recent ones that lack their amounts', () => {
    const key = { customerId: newCustomer(), chainId: 1, wallet: 'a' };
    const at = (number: bigint, ...tokens: WalletHoldings['holdings']): WalletHoldings => ({
      block: { number, timestamp: number },
      holdings: tokens,
      isTruncated: false,
    });
    const last = createLastHoldings();
    const stored = () => last.find(key)!.block.number;
    last.store(key, at(10n, heldAmount('x', 5n)));
    last.store(key, at(9n, heldAmount('x', 4n)));
    expect(stored()).toBe(10n);
    last.store(key, at(11n, unreadableHolding('x', 'NOT_READ')));
    expect(last.find(key)).toMatchObject(at(10n, heldAmount('x', 5n)));
    // A token that was never read has no amount to lose.
    last.store(key, at(12n, heldAmount('x', 6n), unreadableHolding('y', 'NOT_READ')));
    expect(stored()).toBe(12n);
    afterMinutes(15, () => last.store(key, at(13n, unreadableHolding('x', 'NOT_READ'))));
    expect(stored()).toBe(13n);
  });

  it('are replaced after ten minutes when a node has returned the number of a block far ahead', () => {
    const key = { customerId: newCustomer(), chainId: 1, wallet: 'a' };
    const at = (number: bigint): WalletHoldings => ({ ...holdings(1), block: { number, timestamp: number } });
    const last = createLastHoldings();
    last.store(key, at(1_000_000n));
    last.store(key, at(10n));
    expect(last.find(key)!.block.number).toBe(1_000_000n);
    afterMinutes(15, () => last.store(key, at(11n)));
    expect(last.find(key)!.block.number).toBe(11n);
  });

  it('are not replaced by recent ones without all tokens, such as SOL alone', () => {
    const key = { customerId: newCustomer(), chainId: 1, wallet: 'a' };
    const last = createLastHoldings();
    last.store(key, holdings(3));
    const truncated = { ...holdings(1), isTruncated: true };
    last.store(key, truncated);
    expect(last.find(key)).toMatchObject(holdings(3));
    afterMinutes(15, () => last.store(key, truncated));
    expect(last.find(key)).toMatchObject(truncated);
    last.store(key, truncated);
    last.store(key, holdings(2));
    expect(last.find(key)).toMatchObject(holdings(2));
  });
});
