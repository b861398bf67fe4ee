import { someChain } from '../../test/actions/sample-transfer';
import { usdPrice } from '../../test/setup/usd';
import { createChainTable } from '../chains/chain-table';
import { createGasPricer } from './gas-pricer';

const chains = createChainTable([
  someChain(1),
  someChain(2),
  someChain(3),
  someChain(4, { nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 8 } }),
  someChain(5, { nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 } }),
]);
const ETHER = 10n ** 18n;
const silent = { warn: () => undefined };

/** A pricer with these prices of the native coins, in US dollars by chain. */
const pricer = (usd: Readonly<Record<number, number>>) =>
  createGasPricer({
    chains,
    log: silent,
    prices: {
      pricesUsd: (tokens) =>
        Promise.resolve(
          tokens.map(({ chainId }) => {
            const price = usd[chainId];
            return price === undefined ? undefined : { usd: usdPrice(String(price)), asOf: new Date(), source: 'pool' };
          }),
        ),
    },
  });

describe('the cost of gas', () => {
  it('is rounded up to a millionth of a dollar', async () => {
    expect(await pricer({ 5: 0.001 })(5, 1n)).toBe(1n);
    expect(await pricer({ 5: 0.001 })(5, ETHER)).toBe(1000n);
    expect(await pricer({ 5: 0.001 })(5, ETHER + 1n)).toBe(1001n);
    expect(await pricer({ 4: 70_000 })(4, 1n)).toBe(700n);
  });

  it('has the price of the coin on its own chain, when no other chain has the coin', async () => {
    expect(await pricer({ 1: 3000, 4: 70_000, 5: 2 })(1, ETHER)).toBe(3_000_000_000n);
    expect(await pricer({ 1: 3000, 5: 2 })(5, ETHER)).toBe(2_000_000n);
  });

  it('has the higher one of two prices of the same coin', async () => {
    expect(await pricer({ 1: 3000, 2: 3100 })(1, ETHER)).toBe(3_100_000_000n);
    expect(await pricer({ 1: 3000, 2: 3100 })(2, ETHER)).toBe(3_100_000_000n);
  });

  it.each([0.001, 90_000])('is not changed by a manipulated price of one chain of several: %d USD', async (usd) => {
    for (const chainId of [1, 2, 3])
      expect(await pricer({ 1: 3000, 2: 3000, 3: 3000, [chainId]: usd })(1, ETHER)).toBe(3_000_000_000n);
  });

  it('has the price on its own chain, while the others do not respond', async () => {
    const price = { usd: usdPrice('3000'), asOf: new Date(), source: 'pool' };
    const pricesUsd = (tokens: readonly { readonly chainId: number }[]) =>
      tokens.some(({ chainId }) => chainId !== 1) ? new Promise<never>(() => undefined) : Promise.resolve([price]);
    expect(await createGasPricer({ chains, prices: { pricesUsd }, log: silent })(1, ETHER)).toBe(3_000_000_000n);
  });

  it('has the price of the same coin elsewhere, when its own chain has none', async () => {
    expect(await pricer({ 2: 2900, 3: 3000, 4: 70_000, 5: 90_000 })(1, ETHER)).toBe(3_000_000_000n);
  });

  it.each([
    ['no chain has one', {}],
    ['only other coins have one', { 4: 1, 5: 1 }],
  ])('is unknown without a price: %s', async (_, usd) => {
    expect(await pricer(usd)(1, ETHER)).toBeUndefined();
  });

  it('is unknown on an unknown chain, and while prices do not respond', async () => {
    expect(await pricer({ 1: 3000 })(99, ETHER)).toBeUndefined();
    const failing = { pricesUsd: () => Promise.reject(new Error('no node')) };
    expect(await createGasPricer({ chains, prices: failing, log: silent })(1, ETHER)).toBeUndefined();
    const hanging = { pricesUsd: () => new Promise<never>(() => undefined) };
    expect(await createGasPricer({ chains, prices: hanging, log: silent, timeoutMs: 1 })(1, ETHER)).toBeUndefined();
  });

  it('is logged when it is unknown, once for all requests of a chain', async () => {
    const log = { warn: jest.fn() };
    const price = createGasPricer({ chains, prices: { pricesUsd: () => Promise.resolve([]) }, log });
    await Promise.all([1, 1, 2, 1].map((chainId) => price(chainId, ETHER)));
    expect(log.warn.mock.calls.map(([context]) => context as unknown)).toEqual([{ chainId: 1 }, { chainId: 2 }]);
  });
});
