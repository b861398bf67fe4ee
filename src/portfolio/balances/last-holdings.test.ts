import { newCustomer } from '../../../test/actions/sample-action';
import { heldAmount, type WalletHoldings } from './holding';
import { createLastHoldings } from './last-holdings';

const holdings = (amounts: number): WalletHoldings => ({
  block: { number: 1n, timestamp: 1n },
  holdings: Array.from({ length: amounts }, (_, index) => heldAmount(`token ${index}`, 1n)),
  isTruncated: false,
});

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
});
