import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { observed } from '../../../test/prices/observation';
import { usdPrice } from '../../../test/setup/usd';
import { NATIVE_TOKEN } from '../../chains/addresses';
import { createChainTable } from '../../chains/chain-table';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import type { PriceResult, TokenPriceReader } from '../token-price';
import { downSamplePrices, type PriceSample, readHistories, storeSamples } from './price-sample-store';
import { samplePrices } from './sample-prices';
import { createTokenRecorder, tokensToSample } from './sampled-tokens';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(() => emptyDatabase(test));
afterAll(() => test.drop());

const { signal } = new AbortController();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';

const sample = (at: number, changes: Partial<PriceSample> = {}): PriceSample => ({
  chainId: 1,
  address: WETH,
  usdE24: usdPrice('3000'),
  source: 'chainlink',
  kind: 'oracle',
  asOf: new Date(at),
  ...changes,
});
const stored = () => test.database.priceSample.findMany({ orderBy: [{ token: 'asc' }, { at: 'asc' }] });
/** The last full hour and day before an age, so that tests do not depend on the time of day. */
const hourBefore = (age: number): number => Math.floor((Date.now() - age) / HOUR) * HOUR - HOUR;
const dayBefore = (age: number): number => Math.floor((Date.now() - age) / DAY) * DAY - DAY;

describe('stored prices', () => {
  it('are exact, and count an observation once', async () => {
    const exact = sample(Date.now() - HOUR, { usdE24: usdPrice('0.000000000000000000000001') });
    const large = sample(Date.now() - HOUR, {
      address: 'large',
      usdE24: usdPrice('999999999999.999999999999999999999999'),
    });
    expect(await storeSamples(test, [exact, large])).toBe(2);
    expect(await storeSamples(test, [exact, sample(exact.asOf.getTime())])).toBe(0);
    const range = { from: new Date(Date.now() - DAY), to: new Date(), stepSeconds: 300 };
    expect((await readHistories(test, [exact, large], range)).map(([point]) => point?.usdE24)).toEqual([
      exact.usdE24,
      large.usdE24,
    ]);
  });

  it('leave the last observation of each complete hour after a day, never a mean', async () => {
    const hour = hourBefore(DAY);
    await storeSamples(test, [
      sample(hour, { usdE24: usdPrice('1') }),
      sample(hour + 30 * MINUTE, { usdE24: usdPrice('2') }),
      sample(hour + 59 * MINUTE, { usdE24: usdPrice('3') }),
      sample(hour - 1, { usdE24: usdPrice('4') }),
      sample(hour + MINUTE, { address: 'another', usdE24: usdPrice('5') }),
      sample(Date.now() - HOUR, { usdE24: usdPrice('6') }),
      sample(Date.now() - HOUR + MINUTE, { usdE24: usdPrice('7') }),
    ]);
    expect(await downSamplePrices(test, signal)).toBe(2);
    expect((await stored()).map(({ usdE24, resolution }) => [usdE24.toFixed(0).slice(0, 1), resolution])).toEqual([
      ['4', 3600],
      ['3', 3600],
      ['6', 300],
      ['7', 300],
      ['5', 3600],
    ]);
    expect(await downSamplePrices(test, signal)).toBe(0);
  });

  it('leave the last observation of each day after a month', async () => {
    const day = dayBefore(31 * DAY);
    await storeSamples(test, [
      sample(day, { usdE24: usdPrice('1') }),
      sample(day + 12 * HOUR, { usdE24: usdPrice('2') }),
      sample(day + 23 * HOUR + 30 * MINUTE, { usdE24: usdPrice('3') }),
      sample(day + 23 * HOUR + 45 * MINUTE, { usdE24: usdPrice('4') }),
    ]);
    expect(await downSamplePrices(test, signal)).toBe(3);
    expect((await stored()).map(({ usdE24, resolution }) => [usdE24.toFixed(0).slice(0, 1), resolution])).toEqual([
      ['4', 86_400],
    ]);
  });

  it('are reduced to the same rows in batches of any size, and by two processes at once', async () => {
    const hour = hourBefore(DAY);
    const rows = Array.from({ length: 60 }, (_, index) =>
      sample(hour + index * MINUTE, { address: index % 2 === 0 ? 'a' : 'b', usdE24: usdPrice(`${index + 1}`) }),
    );
    await storeSamples(test, rows);
    await Promise.all([
      downSamplePrices({ ...test, batchSize: 7 }, signal),
      downSamplePrices({ ...test, batchSize: 5 }, signal),
    ]);
    await downSamplePrices(test, signal);
    expect((await stored()).map(({ token, usdE24 }) => [token, usdE24.toFixed(0).replace(/0{24}$/, '')])).toEqual([
      ['a', '59'],
      ['b', '60'],
    ]);
  });

  it('of a history are the last one of each step, of each token by itself', async () => {
    const begin = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
    await storeSamples(test, [
      sample(begin, { usdE24: usdPrice('1') }),
      sample(begin + 10 * MINUTE, { usdE24: usdPrice('2') }),
      sample(begin + 2 * HOUR, { usdE24: usdPrice('3') }),
      sample(begin + 2 * HOUR, { address: 'another', usdE24: usdPrice('4') }),
      sample(begin + 2 * HOUR, { chainId: 10, usdE24: usdPrice('5') }),
    ]);
    const range = { from: new Date(begin), to: new Date(begin + 3 * HOUR), stepSeconds: 3600 };
    const histories = await readHistories(
      test,
      [sample(0), { chainId: 1, address: 'none' }, { chainId: 10, address: WETH }],
      range,
    );
    expect(histories.map((points) => points.map(({ usdE24, asOf }) => [usdE24, asOf.getTime() - begin]))).toEqual([
      [
        [usdPrice('2'), 10 * MINUTE],
        [usdPrice('3'), 2 * HOUR],
      ],
      [],
      [[usdPrice('5'), 2 * HOUR]],
    ]);
  });
});

const chains = createChainTable(KNOWN_CHAINS);
const ethereum = chains.get(1);
const pricing = (price: (address: string) => PriceResult): TokenPriceReader => ({
  read: (tokens) => Promise.resolve(tokens.map(({ address }) => price(address))),
});
const deps = (prices: TokenPriceReader, table = chains) => ({
  pool: test.pool,
  chains: table,
  prices,
  isServed: (chainId: number) => chainId === 1,
});
const priceAt = (asOf: Date): PriceResult => ({
  price: { ...observed('3000', { asOf }), flags: [], isConfirmed: true },
});

describe('the sampling of prices', () => {
  it('stores the listed tokens of served chains under the time of the observation, once', async () => {
    const asOf = new Date(Date.now() - 47 * MINUTE);
    const sampling = deps(pricing(() => priceAt(asOf)));
    const count = ethereum.tokens.length + 2; // and the two currencies
    expect(await samplePrices(sampling, signal)).toBe(count);
    expect(await samplePrices(sampling, signal)).toBe(0);
    const rows = await stored();
    expect(rows).toHaveLength(count);
    for (const { at } of rows) expect(at).toEqual(asOf);
  });

  it('loses no batch because of a listed token with a malformed address, or of the native coin', async () => {
    const bad = [
      { ...ethereum.tokens[0]!, address: 'garbage' },
      { ...ethereum.tokens[0]!, address: NATIVE_TOKEN },
    ];
    const table = createChainTable([
      { ...ethereum, tokens: [...bad, ...ethereum.tokens] },
      ...KNOWN_CHAINS.filter(({ chainId }) => chainId !== 1),
    ]);
    const count = await samplePrices(
      deps(
        pricing(() => priceAt(new Date())),
        table,
      ),
      signal,
    );
    expect(count).toBe(ethereum.tokens.length + 2);
  });

  it('leaves out tokens without a price', async () => {
    const prices = pricing((address) => (address === WETH ? priceAt(new Date()) : { missing: 'SOURCES_DISAGREE' }));
    expect(await samplePrices(deps(prices), signal)).toBe(1);
    expect((await stored()).map(({ token }) => token)).toEqual([WETH]);
  });

  it('includes unlisted tokens whose price was requested, the last requested first, up to a bound', async () => {
    const log = { warn: jest.fn() };
    const record = createTokenRecorder({ pool: test.pool, log });
    const unlisted = (digit: string) => ({ chain: ethereum, address: `0x${digit.repeat(40)}`, decimals: 18 });
    await record([unlisted('1'), { chain: ethereum, address: WETH, decimals: 18 }]);
    await test.database.sampledToken.updateMany({ data: { requestedAt: new Date(Date.now() - HOUR) } });
    await record([unlisted('2'), unlisted('2'), unlisted('1')]);
    const sampled = await tokensToSample({ ...deps(pricing(() => priceAt(new Date()))), maximum: 1 });
    expect(sampled.map(({ address }) => address)).toEqual([ethereum.tokens[0]!.address, unlisted('2').address]);
    expect(await test.database.sampledToken.count()).toBe(2);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('goes on without the database of requested tokens, and stores them at the next request', async () => {
    const log = { warn: jest.fn() };
    let isDown = true;
    const query = (...statement: Parameters<typeof test.pool.query>) =>
      isDown ? Promise.reject(new Error('no database')) : test.pool.query(...statement);
    const record = createTokenRecorder({ pool: { query } as never, log });
    const token = { chain: ethereum, address: `0x${'3'.repeat(40)}`, decimals: 18 };
    await record([token]);
    expect(log.warn).toHaveBeenCalledTimes(1);
    isDown = false;
    await record([token]);
    expect(await test.database.sampledToken.count()).toBe(1);
  });
});
