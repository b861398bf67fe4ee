import { observed } from '../../test/prices/observation';
import { usdPrice } from '../../test/setup/usd';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../chains/addresses';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { serviceError } from '../errors/service-error';
import type { Token } from '../tokens/token';
import { createTokenPriceReader } from './token-price-reader';
import type { PricedToken, PriceObservation, PriceResult, TokenPriceSource } from './token-price';

const chains = createChainTable(KNOWN_CHAINS);
const ethereum = chains.get(1);
const token = (symbol: string): Token => {
  const listed = ethereum.tokens.find((candidate) => candidate.symbol === symbol)!;
  return { logoURI: undefined, ...listed, chainId: 1 };
};
const coin: Token = { ...token('WETH'), address: NATIVE_TOKEN, symbol: 'ETH' };
const WETH = token('WETH').address;

type Observe = (tokens: readonly PricedToken[]) => Promise<ReadonlyMap<string, PriceObservation>>;
const source = (id: string, observe: Observe): TokenPriceSource => ({
  id,
  cacheMs: 3_600_000,
  maxBatch: 50,
  covers: () => true,
  observe,
});
const stating = (id: string, usd: string, calls: (readonly string[])[] = []): TokenPriceSource =>
  source(id, (tokens) => {
    calls.push(tokens.map(({ address }) => address));
    return Promise.resolve(new Map(tokens.map(({ address }) => [address, observed(usd, { source: id })])));
  });

const log = { warn: jest.fn() };
/** Without pools: the chain has none in this test. */
const readerOf = (...sources: readonly TokenPriceSource[]) => waitingReaderOf(60_000, sources);
const waitingReaderOf = (waitMs: number, sources: readonly TokenPriceSource[]) =>
  createTokenPriceReader({
    chains,
    sources,
    log,
    waitMs,
    rpc: { serves: () => true, multicall: () => Promise.reject(new Error('no pools')) },
    pools: { locate: () => Promise.resolve([]) },
  });
beforeEach(() => log.warn.mockClear());

describe('the reader of token prices', () => {
  it('combines the sources', async () => {
    const [result] = await readerOf(stating('one', '3000'), stating('two', '3001')).read([token('WETH')]);
    expect(result?.price).toMatchObject({ usdE24: usdPrice('3000'), source: 'one', isConfirmed: true });
  });

  it('reads the tokens of a chain at once, each once, and shares the results for a while', async () => {
    const calls: (readonly string[])[] = [];
    const reader = readerOf(stating('one', '3000', calls));
    await Promise.all([reader.read([token('WETH'), token('WBTC')]), reader.read([token('WETH')])]);
    await reader.read([token('WBTC')]);
    const requested = calls.flat();
    expect(new Set(requested).size).toBe(requested.length);
    expect(requested).toEqual(expect.arrayContaining([WETH, token('WBTC').address]));
    expect(calls.length).toBeLessThanOrEqual(2); // the dollar tokens, as anchors of the pools, may come later
  });

  it('gives the native coin the price of its wrapper, at either address', async () => {
    const results = await readerOf(stating('one', '3000')).read([coin, { ...coin, address: ZERO_ADDRESS }]);
    for (const { price } of results) expect(price?.usdE24).toBe(usdPrice('3000'));
  });

  it('never hands a malformed address to a source, and prices the other tokens', async () => {
    const calls: (readonly string[])[] = [];
    const bad = ['0x123', 'garbage', '', `0x${'g'.repeat(40)}`].map((address) => ({ ...coin, address }));
    const results = await readerOf(stating('one', '3000', calls)).read([...bad, token('WETH')]);
    expect(results.slice(0, -1)).toEqual(bad.map(() => ({ missing: 'NO_SOURCE' })));
    expect(results.at(-1)?.price?.usdE24).toBe(usdPrice('3000'));
    for (const address of calls.flat()) expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  it('leaves out a source that fails, and warns once', async () => {
    const failing = source('two', () =>
      Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'two', reason: 'it is down' })),
    );
    const reader = readerOf(stating('one', '3000'), failing);
    const results = [...(await reader.read([token('WETH')])), ...(await reader.read([token('WBTC')]))];
    for (const { price } of results) expect(price).toMatchObject({ source: 'one', flags: ['SINGLE_SOURCE'] });
    expect(log.warn.mock.calls.filter(([fields]) => (fields as { source: string }).source === 'two')).toHaveLength(1);
  });

  it('requests an absent price of an unlisted token again after a longer time than that of a listed one', async () => {
    const calls: string[] = [];
    const none = source('one', (tokens) => {
      calls.push(...tokens.map(({ address }) => address));
      return Promise.resolve(new Map());
    });
    const reader = readerOf({ ...none, cacheMs: 1, absentMs: 3_600_000 });
    const unlisted = { ...token('WETH'), address: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984' };
    for (let round = 0; round < 2; round += 1) {
      await reader.read([unlisted, token('WETH')]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(calls.filter((address) => address === unlisted.address)).toHaveLength(1);
    expect(calls.filter((address) => address === WETH)).toHaveLength(2);
  });

  it('never reuses a price for other decimals', async () => {
    const byDecimals = source('one', (tokens) =>
      Promise.resolve(new Map(tokens.map(({ address, decimals }) => [address, observed(`${decimals}`)]))),
    );
    const of = (decimals: number): Token => ({ ...token('WETH'), decimals });
    const expected = [usdPrice('18'), usdPrice('6')];
    const pricesOf = (results: readonly PriceResult[]) => results.map(({ price }) => price?.usdE24);
    const [later, atOnce, together] = [readerOf(byDecimals), readerOf(byDecimals), readerOf(byDecimals)];
    expect(pricesOf([...(await later.read([of(18)])), ...(await later.read([of(6)]))])).toEqual(expected);
    const concurrent = await Promise.all([atOnce.read([of(18)]), atOnce.read([of(6)])]);
    expect(pricesOf(concurrent.flat())).toEqual(expected);
    expect(pricesOf(await together.read([of(18), of(6)]))).toEqual(expected);
  });

  it('leaves the price of a token intact when the call for its other decimals fails', async () => {
    const failing = source('one', (tokens) =>
      tokens.some(({ address, decimals }) => address === WETH && decimals === 6)
        ? Promise.reject(new Error('down'))
        : Promise.resolve(new Map(tokens.map(({ address }) => [address, observed('3000')]))),
    );
    const reader = readerOf(failing);
    const [price, none] = await reader.read([token('WETH'), { ...token('WETH'), decimals: 6 }]);
    expect(price?.price?.usdE24).toBe(usdPrice('3000'));
    expect(none).toEqual({ missing: 'NO_SOURCE' });
  });

  it('never reuses a price that has become stale', async () => {
    const calls: (readonly string[])[] = [];
    const freshUntil = new Date(Date.now() + 1);
    const stale = source('one', (tokens) => {
      calls.push(tokens.map(({ address }) => address));
      const ofFirst = calls.length === 1 ? [[WETH, observed('3000', { freshUntil })] as const] : [];
      return Promise.resolve(new Map(ofFirst));
    });
    const reader = readerOf(stale);
    expect((await reader.read([token('WETH')]))[0]?.price?.usdE24).toBe(usdPrice('3000'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await reader.read([token('WETH')])).toEqual([{ missing: 'NO_SOURCE' }]);
  });

  it('does not wait for a source that hangs', async () => {
    const hanging = source('two', () => new Promise(() => undefined));
    const [result] = await waitingReaderOf(20, [stating('one', '3000'), hanging]).read([token('WETH')]);
    expect(result?.price?.source).toBe('one');
  });

  it('checks a peg against the sources, and assumes it only without any', async () => {
    const [unchecked] = await readerOf().read([token('USDC')]);
    expect(unchecked?.price).toMatchObject({ usdE24: usdPrice('1'), kind: 'peg', flags: ['PEG_UNCHECKED'] });
    const [lost] = await readerOf(stating('one', '0.9'), stating('two', '0.9')).read([token('USDC')]);
    expect(lost?.price).toMatchObject({ usdE24: usdPrice('0.9'), flags: ['OFF_PEG'] });
  });

  it('prices a dollar in a bank at one dollar', async () => {
    const usd = { ...coin, chainId: 0, address: 'USD', decimals: 2 };
    const [result] = await readerOf(stating('one', '5')).read([usd]);
    expect(result?.price).toMatchObject({ usdE24: usdPrice('1'), flags: [], isConfirmed: true });
  });

  it('has no price of a token of an unknown chain', async () => {
    expect(await readerOf(stating('one', '5')).read([{ ...coin, chainId: 424_242 }])).toEqual([
      { missing: 'NO_SOURCE' },
    ]);
  });
});
