import { KNOWN_CHAINS } from '../../chains/known-chains';
import type { PricedToken } from '../token-price';
import { withinBudget } from './request-budget';

const ethereum = KNOWN_CHAINS.find(({ chainId }) => chainId === 1)!;
const priced = (address: string): PricedToken => ({ chain: ethereum, address, decimals: 18 });
const anchor = priced(ethereum.dollarTokens[0]!);
const UNI = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const listing = {
  ...ethereum,
  tokens: [...ethereum.tokens, { address: UNI, symbol: 'UNI', name: 'UNI', decimals: 18 }],
};
const listed: PricedToken = { ...priced(UNI), chain: listing };
const madeUp = (index: number): PricedToken => priced(`0x${index.toString(16).padStart(40, '0')}`);

function budgeted(burst: number) {
  let now = 0;
  const calls: (readonly string[])[] = [];
  const source = withinBudget(
    {
      id: 'gecko',
      cacheMs: 0,
      maxBatch: 50,
      covers: () => true,
      observe(tokens) {
        calls.push(tokens.map(({ address }) => address));
        return Promise.resolve(new Map());
      },
    },
    { burst, intervalMs: 1000 },
    () => now,
  );
  const observe = (...tokens: readonly PricedToken[]) => source.observe(tokens, AbortSignal.timeout(1000));
  const wait = (ms: number): void => {
    now += ms;
  };
  return { observe, calls, wait };
}

describe('the budget of requests to a price source', () => {
  it('cannot be used up by tokens that a caller makes up: anchors and listed tokens are still requested', async () => {
    const { observe, calls } = budgeted(20);
    await Promise.allSettled(Array.from({ length: 100 }, (_, index) => observe(madeUp(index))));
    expect(calls.length).toBeLessThanOrEqual(11);
    await Promise.allSettled(Array.from({ length: 100 }, () => observe(listed)));
    expect(calls.length).toBeLessThanOrEqual(16);
    await expect(observe(anchor)).resolves.toEqual(new Map());
  });

  it('bounds all requests, with an error that names the source', async () => {
    const { observe, calls } = budgeted(4);
    for (let index = 0; index < 4; index += 1) await observe(anchor, madeUp(index));
    await expect(observe(anchor)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(calls).toHaveLength(4);
  });

  it('fills with time, up to its burst', async () => {
    const { observe, calls, wait } = budgeted(2);
    for (let index = 0; index < 2; index += 1) await observe(anchor);
    wait(999);
    await expect(observe(anchor)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    wait(1);
    await observe(anchor);
    wait(3_600_000);
    await Promise.allSettled(Array.from({ length: 10 }, () => observe(anchor)));
    expect(calls).toHaveLength(5);
  });
});
