import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { observed } from '../../../test/prices/observation';
import { usdPrice } from '../../../test/setup/usd';
import { newCustomer } from '../../../test/actions/sample-action';
import { RETENTION } from '../../../test/setup/retention-settings';
import { NATIVE_TOKEN } from '../../chains/addresses';
import { createChainTable } from '../../chains/chain-table';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import { trustedTokens } from '../../chains/trusted-tokens';
import { removeExpired } from '../../persistence/retention/remove-expired';
import type { Token } from '../../tokens/token';
import type { PriceResult, TokenPriceReader } from '../token-price';
import { downSamplePrices, type PriceSample, readHistories, storeSamples } from './price-sample-store';
import { samplePrices } from './sample-prices';
import { alwaysSampled, createTokenRecorder, type TokenRecorderDeps, tokensToSample } from './sampled-tokens';

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
  flags: [],
  isConfirmed: true,
  isListed: true,
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

  it('keep how certain they were', async () => {
    const certain = sample(Date.now() - HOUR);
    const doubtful = sample(Date.now() - HOUR, {
      address: 'doubtful',
      flags: ['SINGLE_SOURCE', 'OFF_PEG'],
      isConfirmed: false,
    });
    await storeSamples(test, [certain, doubtful]);
    const range = { from: new Date(Date.now() - DAY), to: new Date(), stepSeconds: 300 };
    expect(await readHistories(test, [certain, doubtful], range)).toMatchObject([
      [{ flags: [], isConfirmed: true }],
      [{ flags: ['SINGLE_SOURCE', 'OFF_PEG'], isConfirmed: false }],
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
  isServed: ({ chainId }: { readonly chainId: number }) => chainId === 1 || chainId === 0,
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

  it('samples the anchors of all chains first, then the others of each chain in turns, and warns when some are left out', async () => {
    const log = { warn: jest.fn() };
    const served = { ...deps(pricing(() => priceAt(new Date()))), isServed: () => true, log };
    const all = await tokensToSample(served);
    const anchors = chains.all.flatMap((chain) =>
      chain.tokens.filter(({ address }) => trustedTokens(chain).has(address)).map(({ address }) => address),
    );
    expect(all.slice(0, anchors.length).map(({ address }) => address)).toEqual(anchors);
    expect(log.warn).not.toHaveBeenCalled();
    const few = await tokensToSample({ ...served, maximum: anchors.length + chains.all.length });
    // The other tokens of the last chains are among them, although the first chains list many.
    expect(few.map(({ chainId, address }) => `${chainId}:${address}`)).toEqual(expect.arrayContaining(['0:BRL']));
    expect(few.some(({ address }) => address === 'BTC')).toBe(true);
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  const unlisted = (digit: string) => ({ chain: ethereum, address: `0x${digit.repeat(40)}`, decimals: 18 });
  const requestedOf = async (maximum: number) => {
    const sampling = { ...deps(pricing(() => priceAt(new Date()))), maximum };
    return (await tokensToSample(sampling)).slice(maximum).map(({ address }) => address);
  };
  const recorder = (changes: Partial<TokenRecorderDeps> = {}) =>
    createTokenRecorder({ ...deps(pricing(() => priceAt(new Date()))), log: { warn: jest.fn() }, ...changes });

  it('includes requested tokens, and listed ones that are not always sampled', async () => {
    const record = recorder({ maximum: 1 });
    const [always, other] = alwaysSampled({ ...deps(pricing(() => priceAt(new Date()))), maximum: 2 });
    const listed = ({ address, decimals }: Token) => ({ chain: ethereum, address, decimals });
    await record(newCustomer(), [unlisted('1'), listed(always!), listed(other!)]);
    const rows = await test.database.sampledToken.findMany();
    expect(rows.map(({ token }) => token).sort()).toEqual([unlisted('1').address, other!.address].sort());
  });

  it('gives each customer its share: many tokens of one do not displace those of others', async () => {
    const [many, few] = [newCustomer(), newCustomer()];
    const record = recorder();
    await record(few, [unlisted('a')]);
    await record(many, ['1', '2', '3', '4', '5'].map(unlisted));
    expect(await requestedOf(2)).toContain(unlisted('a').address);
    await record(newCustomer(), [unlisted('5')]);
    await record(newCustomer(), [unlisted('5')]);
    expect((await requestedOf(1))[0]).toBe(unlisted('5').address);
  });

  it('accepts a bounded number of new tokens of a customer a day, and refreshes the known ones', async () => {
    const customer = newCustomer();
    await recorder({ maxNewTokens: 2 })(customer, ['1', '2', '3'].map(unlisted));
    await test.database.sampledToken.updateMany({ data: { requestedAt: new Date(Date.now() - DAY) } });
    const again = { ...unlisted('1'), decimals: 6 };
    await recorder({ maxNewTokens: 2 })(customer, [again, unlisted('4')]);
    await recorder({ maxNewTokens: 2 })(newCustomer(), [unlisted('4')]);
    const rows = await test.database.sampledToken.findMany({
      where: { customerId: customer },
      orderBy: { token: 'asc' },
    });
    expect(rows.map(({ token, decimals }) => [token, decimals])).toEqual([
      [unlisted('1').address, 6],
      [unlisted('2').address, 18],
    ]);
    expect(Date.now() - rows[0]!.requestedAt.getTime()).toBeLessThan(HOUR);
    expect(await test.database.sampledToken.count()).toBe(3);
  });

  it('removes the prices of unlisted tokens after 400 days, and keeps those of listed ones', async () => {
    const old = Date.now() - 401 * DAY;
    await storeSamples(test, [sample(old), sample(old, { address: 'other', isListed: false })]);
    await storeSamples(test, [sample(Date.now() - 399 * DAY, { address: 'other', isListed: false })]);
    await removeExpired({ pool: test.pool, settings: RETENTION }, signal);
    expect((await stored()).map(({ token, isListed }) => [token, isListed])).toEqual([
      [WETH, true],
      ['other', false],
    ]);
  });

  it('goes on without the database of requested tokens, and stores them at the next request', async () => {
    const log = { warn: jest.fn() };
    const customer = newCustomer();
    let isDown = true;
    const connect = () => (isDown ? Promise.reject(new Error('no database')) : test.pool.connect());
    const record = recorder({ pool: { connect } as unknown as TokenRecorderDeps['pool'], log });
    const token = { chain: ethereum, address: `0x${'3'.repeat(40)}`, decimals: 18 };
    await record(customer, [token]);
    expect(log.warn).toHaveBeenCalledTimes(1);
    isDown = false;
    await record(customer, [token]);
    expect(await test.database.sampledToken.count()).toBe(1);
  });
});
