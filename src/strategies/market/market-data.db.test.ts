import { until } from '../../../test/resilience/until';
import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { usdPrice } from '../../../test/setup/usd';
import { observed } from '../../../test/prices/observation';
import {
  addressOf,
  chains,
  ethereum,
  RAY,
  rowOf,
  scriptedNodes,
  scriptedProtocol,
} from '../../../test/strategies/scripted-catalog';
import type { TokenPriceReader } from '../../prices/token-price';
import { createStrategies } from '../catalog/strategies';
import type { StrategyRow } from '../strategy-row';
import { createLatestMarkets } from './latest-markets';
import { readBases, readMarkets, storeMarkets } from './market-store';
import { refreshMarkets } from './refresh-markets';
import { downSampleMarkets, readMarketSamples, storeMarketSamples } from './sample-store';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(() => emptyDatabase(test));
afterAll(() => test.drop());

const { signal } = new AbortController();
const HOUR = 3600;
const DAY = 24 * HOUR;

const PRICE = usdPrice('0.9995');
const priced: TokenPriceReader = {
  read: (tokens) =>
    Promise.resolve(tokens.map(() => ({ price: { ...observed('0.9995'), flags: [], isConfirmed: true } }))),
};
const unpriced: TokenPriceReader = {
  read: (tokens) => Promise.resolve(tokens.map(() => ({ missing: 'NO_SOURCE' as const }))),
};

async function world(rows: readonly StrategyRow[], { hasRate = false, prices = priced } = {}) {
  const nodes = scriptedNodes();
  const log = { warn: jest.fn() };
  const protocols = { erc4626: scriptedProtocol({ hasRate }) };
  const strategies = createStrategies({ rpc: nodes.rpc, log, chains, rows, protocols });
  strategies.start();
  await strategies.firstPass(1);
  await strategies.stop();
  const deps = { rpc: nodes.rpc, pool: test.pool, log, strategies, protocols, prices };
  return { nodes, log, refresh: () => refreshMarkets(deps, ethereum, signal) };
}

const stored = async (id = 'vault-1-ethereum') => (await readMarkets(test, [id])).get(id);
const samples = () => test.database.strategySample.findMany({ orderBy: [{ strategyId: 'asc' }, { bucket: 'asc' }] });

describe('the refresh of market data', () => {
  it('stores the values of the chain exactly, with their block and the price of the asset', async () => {
    const { nodes, refresh } = await world([rowOf(1)], { hasRate: true });
    const largest = 2n ** 256n - 1n;
    nodes.values.set(addressOf(1), { deposits: largest, price: RAY + 1n });
    expect(await refresh()).toEqual({ stored: 1, failed: 0 });
    expect(await stored()).toMatchObject({
      chainId: 1,
      base: undefined,
      doubtful: undefined,
      first: { at: new Date(nodes.time * 1000), sharePriceRay: RAY + 1n },
      observation: {
        at: new Date(nodes.time * 1000),
        blockNumber: 100n,
        sharePriceRay: RAY + 1n,
        yearlyRateRay: RAY / 25n,
        tvl: largest,
        liquidity: largest,
        depositLimit: undefined,
        acceptsDeposits: true,
        usdE24: PRICE,
      },
    });
  });

  it('of a thousand strategies takes at most ten calls to the chain and six statements, four once they are stored', async () => {
    const { nodes, refresh } = await world(Array.from({ length: 1000 }, (_, index) => rowOf(index)));
    nodes.calls = 0;
    const query = jest.spyOn(test.pool, 'query');
    expect(await refresh()).toEqual({ stored: 1000, failed: 0 });
    expect(nodes.calls).toBeLessThanOrEqual(10);
    expect(query).toHaveBeenCalledTimes(6);
    query.mockClear();
    nodes.time += 1;
    await refresh();
    expect(query).toHaveBeenCalledTimes(4);
    query.mockRestore();
  });

  it('keeps the last state of a market that cannot be read, and refreshes all others', async () => {
    const { nodes, refresh, log } = await world([rowOf(1), rowOf(2), rowOf(3)]);
    await refresh();
    nodes.time += 300;
    nodes.values.set(addressOf(1), { price: 'revert' });
    nodes.values.set(addressOf(2), { price: 0n });
    expect(await refresh()).toEqual({ stored: 1, failed: 2 });
    const [broken, fresh] = [await stored('vault-1-ethereum'), await stored('vault-3-ethereum')];
    expect(fresh!.observation.at.getTime() - broken!.observation.at.getTime()).toBe(300_000);
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  it('fails for a chain that does not respond, and changes nothing', async () => {
    const { nodes, refresh } = await world([rowOf(1)]);
    await refresh();
    const before = await stored();
    nodes.down.add(1);
    await expect(refresh()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await stored()).toEqual(before);
  });

  it('stores no price for an asset without one', async () => {
    const { refresh } = await world([rowOf(1)], { prices: unpriced });
    await refresh();
    expect((await stored())!.observation.usdE24).toBeUndefined();
    expect(await samples()).toMatchObject([{ usdE24: null }]);
  });

  it('that runs twice at once, or reads an older block, leaves one sample and the later state', async () => {
    const { nodes, refresh } = await world([rowOf(1)]);
    await Promise.all([refresh(), refresh()]);
    nodes.time -= 60;
    nodes.values.set(addressOf(1), { deposits: 1n });
    await refresh();
    expect((await stored())!.observation.tvl).toBe(10n ** 12n);
    expect(await samples()).toHaveLength(1);
  });

  it('keeps the last observation of each hour, and none that is not confirmed', async () => {
    const { nodes, refresh } = await world([rowOf(1)]);
    const begin = Math.floor(nodes.time / HOUR) * HOUR - 2 * HOUR;
    for (const [seconds, deposits] of [
      [60, 100n],
      [3540, 101n],
      [3660, 102n],
      [3900, 9999n],
    ] as const) {
      nodes.values.set(addressOf(1), { deposits });
      nodes.time = begin + seconds;
      await refresh();
    }
    expect((await samples()).map(({ tvl }) => tvl.toFixed())).toEqual(['101', '102']);
    expect((await stored())!.doubtful).toEqual({
      at: new Date(nodes.time * 1000),
      sharePriceRay: RAY,
      yearlyRateRay: undefined,
      tvl: 9999n,
    });
  });

  it('compares with the sample nearest to 24 hours before', async () => {
    const { nodes, refresh } = await world([rowOf(1)]);
    const begin = Math.floor(nodes.time / HOUR) * HOUR - 2 * DAY;
    for (const hours of [0, 3, 23, 26.5, 27]) {
      nodes.time = begin + hours * HOUR;
      await refresh();
    }
    expect((await stored())!.base?.at).toEqual(new Date((begin + 3 * HOUR) * 1000));
    const bases = await readBases(test, {
      strategyIds: ['vault-1-ethereum', 'unknown'],
      at: new Date((begin + 60 * HOUR) * 1000),
    });
    expect(bases.size).toBe(0);
  });
});

describe('stored observations', () => {
  const sampleAt = (seconds: number, strategyId = 'x') => ({
    strategyId,
    observation: {
      at: new Date(seconds * 1000),
      blockNumber: 1n,
      observedAt: new Date(),
      sharePriceRay: BigInt(Math.floor(seconds)),
      yearlyRateRay: undefined,
      tvl: 1n,
      liquidity: undefined,
      depositLimit: undefined,
      acceptsDeposits: true,
      allowsWithdrawals: true,
      usdE24: undefined,
    },
  });

  it('of a complete day leave the last one after 31 days, in bounded runs', async () => {
    const today = Math.floor(Date.now() / 1000 / DAY) * DAY;
    const old = today - 40 * DAY;
    const hours = [1, 5, 23, 25, 30].map((hour) => old + hour * HOUR);
    await storeMarketSamples(
      test,
      [...hours, today - 2 * DAY, today - 2 * DAY + HOUR].map((time) => sampleAt(time)),
    );
    await storeMarketSamples(test, [sampleAt(old + HOUR, 'y')]);
    expect(await downSampleMarkets({ ...test, batchSize: 2 }, signal)).toBe(3);
    const rows = await samples();
    expect(rows.map(({ strategyId, at, resolution }) => [strategyId, at.getTime() / 1000, resolution])).toEqual([
      ['x', old + 23 * HOUR, DAY],
      ['x', old + 30 * HOUR, DAY],
      ['x', today - 2 * DAY, HOUR],
      ['x', today - 2 * DAY + HOUR, HOUR],
      ['y', old + HOUR, DAY],
    ]);
    expect(await downSampleMarkets(test, signal)).toBe(0);
  });

  it('are returned as the last one of each step, for all strategies in one query', async () => {
    const begin = Math.floor(Date.now() / 1000 / DAY) * DAY - 3 * DAY;
    await storeMarketSamples(
      test,
      [begin, begin + HOUR, begin + DAY].map((time) => sampleAt(time)),
    );
    const query = jest.spyOn(test.pool, 'query');
    const span = { from: new Date(begin * 1000), to: new Date((begin + 2 * DAY) * 1000), stepSeconds: DAY };
    const histories = await readMarketSamples(test, ['x', 'unknown'], span);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
    expect(histories.get('x')!.map(({ at }) => at.getTime() / 1000)).toEqual([begin + HOUR, begin + DAY]);
    expect(histories.get('unknown')).toEqual([]);
  });
});

describe('the latest market data of a process', () => {
  it('is read with one query, then from memory', async () => {
    const { refresh } = await world([rowOf(1), rowOf(2)]);
    await refresh();
    const query = jest.fn((text: string, values?: unknown[]) => test.pool.query(text, values));
    const log = { warn: jest.fn() };
    const latest = createLatestMarkets({ pool: { query } as never, log, maxAgeMs: 600_000 });
    const first = await latest.read();
    expect([first.byStrategy.size, query.mock.calls.length]).toEqual([2, 1]);
    expect(await latest.read()).toBe(first);
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('follows changes', async () => {
    const { nodes, refresh } = await world([rowOf(1), rowOf(2)]);
    await refresh();
    const latest = createLatestMarkets({ pool: test.pool, log: { warn: jest.fn() }, maxAgeMs: 0 });
    const first = await latest.read();
    nodes.time += 300;
    await refresh();
    await until('the change is read', async () => (await latest.read()).version !== first.version);
    const { observation } = (await latest.read()).byStrategy.get('vault-1-ethereum')!;
    expect(observation.at).toEqual(new Date(nodes.time * 1000));
  });

  it('stays known without the database, whose outage is logged', async () => {
    const { refresh } = await world([rowOf(1)]);
    await refresh();
    let isDown = false;
    const query = (text: string, values?: unknown[]) =>
      isDown ? Promise.reject(new Error('no database')) : test.pool.query(text, values);
    const log = { warn: jest.fn() };
    const latest = createLatestMarkets({ pool: { query } as never, log, maxAgeMs: 0 });
    await latest.read();
    isDown = true;
    expect((await latest.read()).byStrategy.size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(log.warn).toHaveBeenCalled();
    const other = createLatestMarkets({ pool: { query } as never, log });
    await expect(other.read()).rejects.toThrow('no database');
  });
});

it('keeps a state that another process stored of a later block', async () => {
  const { refresh, nodes } = await world([rowOf(1)]);
  nodes.time -= 600;
  await refresh();
  const before = (await stored())!;
  nodes.time += 300;
  await refresh();
  expect(await storeMarkets(test, [before])).toBe(0);
  expect((await stored())!.observation.at).toEqual(new Date(nodes.time * 1000));
});
