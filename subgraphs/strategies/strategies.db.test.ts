import { graphql } from 'graphql';
import { newCustomer } from '../../test/actions/sample-action';
import { observed } from '../../test/prices/observation';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { until } from '../../test/resilience/until';
import {
  addressOf,
  ASSET,
  base,
  chains,
  ethereum,
  RAY,
  rowOf,
  scriptedNodes,
  scriptedProtocol,
} from '../../test/strategies/scripted-catalog';
import { createRequestContext } from '../../src/auth/request-context';
import { isServiceError } from '../../src/errors/service-error';
import { createStrategies, type Strategies } from '../../src/strategies/catalog/strategies';
import { createLatestMarkets } from '../../src/strategies/market/latest-markets';
import { refreshMarkets } from '../../src/strategies/market/refresh-markets';
import type { StrategyRow } from '../../src/strategies/strategy-row';
import { createStrategiesSubgraph } from './index';

const HOUR = 3600;
let test: TestDatabase;
const opened: Strategies[] = [];
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(opened.map((strategies) => strategies.stop()));
  await test.drop();
});

const fees = { entryBps: 10, performanceBps: 500, markupBps: 1000 };
const priced = {
  read: (tokens: readonly unknown[]) =>
    Promise.resolve(tokens.map(() => ({ price: { ...observed('2'), flags: [], isConfirmed: true } }))),
};

async function world(rows: readonly StrategyRow[], { hasRate = true, isDown = false } = {}) {
  const nodes = scriptedNodes([ethereum, base]);
  if (isDown) nodes.down.add(1).add(8453);
  const log = { warn: jest.fn() };
  const protocols = { erc4626: scriptedProtocol({ hasRate }) };
  const strategies = createStrategies({ rpc: nodes.rpc, log, chains, rows, protocols, times: { retryMs: 5 } });
  opened.push(strategies);
  strategies.start();
  await Promise.all([strategies.firstPass(1), strategies.firstPass(8453)]);
  const query = jest.fn((text: string, values?: unknown[]) => test.pool.query(text, values));
  const markets = createLatestMarkets({ pool: test.pool, log, maxAgeMs: 0 });
  const { schema } = createStrategiesSubgraph({ strategies, markets, chains, fees, pool: { query } as never });
  const run = async (source: string, signedIn = true) => {
    const principal = signedIn ? ({ kind: 'apiKey', customerId: newCustomer(), keyId: 'key' } as const) : undefined;
    const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
    const { data, errors = [] } = await graphql({ schema, source, contextValue });
    const failures = errors.map(({ originalError, message }) =>
      isServiceError(originalError) ? originalError : { code: message, details: undefined },
    );
    return {
      data: data as any,
      codes: failures.map(({ code }) => code),
      details: failures.map((each) => each.details),
    };
  };
  const refresh = async () => {
    const deps = { rpc: nodes.rpc, pool: test.pool, log, strategies, protocols, prices: priced };
    for (const chain of [ethereum, base]) await refreshMarkets(deps, chain, new AbortController().signal);
    // A snapshot is read in the background of a request.
    await until('the market data is loaded', async () => {
      const { byStrategy } = await markets.read();
      const times = strategies.all().map(({ row }) => byStrategy.get(row.id.toLowerCase())?.observation.at.getTime());
      return times.every((time) => time === nodes.time * 1000);
    });
  };
  return { nodes, run, refresh, query, strategies };
}

const idsOf = ({ data }: { readonly data: any }, field = 'strategies') => data?.[field].data.map(({ id }: any) => id);

describe('a strategy', () => {
  it('has every field of the contract', async () => {
    const row = rowOf(101, { aliases: ['first'], isDefault: true, brand: 'Brand', logoURI: 'https://x.example/l.png' });
    const { run, refresh, nodes } = await world([row]);
    nodes.values.set(addressOf(101), { price: (RAY * 11n) / 10n });
    await refresh();
    const token = 'name address symbol decimals logo';
    const { data, codes } = await run(`{ strategy(id: "FIRST") {
      id slug asset assetDecimals assetName availableActions implementationSelector network networkId protocol underlyingAsset
      underlyingDecimals isDefault paused startDate fee performanceFeeBps markupFeeBps metadata protocolInfo { name logo }
      chain { name id explorer { name url } logo } assetToken { ${token} } underlyingToken { ${token} }
      apy avgApy grossAPY inceptionApy netAPY logourl category
      marketData { lastRefreshedAt sharePrice sharePriceChange24h sharePriceRefreshedAt tvl tvlChange24h tvlUsd usdRate liquidity
        depositLimit acceptsDeposits allowsWithdrawals stale flags samples { at tvl tvlUsd priceUsd } } } }`);
    expect(codes).toEqual([]);
    const at = new Date(nodes.time * 1000).toISOString();
    const tkn = { name: 'Token', symbol: 'TKN', decimals: 6, logo: null };
    const apy = Math.expm1(0.04);
    expect(data.strategy).toMatchObject({
      id: row.id,
      slug: row.id.toLowerCase(),
      asset: addressOf(101),
      assetDecimals: 6,
      assetName: 'Token',
      availableActions: ['lend', 'withdraw'],
      implementationSelector: 'erc4626',
      network: 'ethereum',
      networkId: '1',
      protocol: 'Brand',
      underlyingAsset: ASSET,
      underlyingDecimals: 6,
      isDefault: true,
      paused: false,
      startDate: '2024-01-01',
      fee: '10',
      performanceFeeBps: '500',
      markupFeeBps: '1000',
      metadata: { EN: { risk: 'low' } },
      protocolInfo: { name: 'Brand', logo: 'https://x.example/l.png' },
      chain: { name: ethereum.name, id: 1, explorer: ethereum.explorer, logo: null },
      assetToken: { ...tkn, address: addressOf(101) },
      underlyingToken: { ...tkn, address: ASSET },
      apy: expect.closeTo(apy, 8),
      grossAPY: expect.closeTo(apy, 8),
      netAPY: expect.closeTo(apy * 0.85, 8),
      avgApy: null,
      logourl: 'https://x.example/l.png',
      category: ['stable'],
      marketData: {
        sharePrice: 1.1,
        sharePriceChange24h: null,
        sharePriceRefreshedAt: at,
        tvl: '1000000000000',
        tvlChange24h: null,
        tvlUsd: 2_000_000,
        usdRate: 2,
        liquidity: '1000000000000',
        depositLimit: null,
        acceptsDeposits: true,
        allowsWithdrawals: true,
        stale: false,
        flags: [],
        samples: [{ at, tvl: '1000000000000', tvlUsd: 2_000_000, priceUsd: 2 }],
      },
    });
    const years = (nodes.time - Date.UTC(2024, 0, 1) / 1000) / 31_536_000;
    expect(data.strategy.inceptionApy).toBeCloseTo(1.1 ** (1 / years) - 1, 6);
  });

  it('has no market data until the chain was read', async () => {
    const { run } = await world([rowOf(102)]);
    const { data } = await run('{ strategy(id: "vault-102-ethereum") { id apy netAPY marketData { tvl } } }');
    expect(data.strategy).toEqual({ id: rowOf(102).id, apy: null, netAPY: null, marketData: null });
  });

  it('that the deployment has paused offers withdrawals only', async () => {
    const { run, refresh } = await world([rowOf(103, { paused: true })]);
    await refresh();
    const { data } = await run(
      '{ strategy(id: "vault-103-ethereum") { paused availableActions marketData { acceptsDeposits allowsWithdrawals } } }',
    );
    expect(data.strategy).toEqual({
      paused: true,
      availableActions: ['withdraw'],
      marketData: { acceptsDeposits: false, allowsWithdrawals: true },
    });
  });

  it('whose price falls has a negative yield with a flag, and one that is not read is stale', async () => {
    const { run, refresh, nodes } = await world([rowOf(104)], { hasRate: false });
    await refresh();
    nodes.time += 2 * HOUR;
    nodes.values.set(addressOf(104), { price: RAY - RAY / 10_000n });
    await refresh();
    const source = '{ strategy(id: "vault-104-ethereum") { apy netAPY marketData { stale flags } } }';
    const { data } = await run(source);
    expect(data.strategy.apy).toBeCloseTo(Math.expm1(4380 * Math.log1p(-1e-4)), 9);
    expect(data.strategy.netAPY).toBeLessThan(0);
    expect(data.strategy.marketData).toEqual({ stale: false, flags: ['NEGATIVE_YIELD'] });
    await test.pool.query(
      `UPDATE "StrategyState" SET "observedAt" = "observedAt" - interval '16 minutes', "updatedAt" = now()
        WHERE "strategyId" = 'vault-104-ethereum'`,
    );
    await run(source);
    await until('the change is read', async () => {
      const again = await run(source);
      return again.data.strategy.marketData.stale === true;
    });
    expect((await run(source)).data.strategy.marketData.flags).toEqual(['STALE', 'NEGATIVE_YIELD']);
  });

  it('is found by its key for other parts of the graph', async () => {
    const { run } = await world([rowOf(105)]);
    const key = `{ __typename: "Strategy", id: "${rowOf(105).id}" }`;
    const { data } = await run(`{ _entities(representations: [${key}]) { ... on Strategy { slug } } }`);
    expect(data._entities).toEqual([{ slug: rowOf(105).id.toLowerCase() }]);
  });

  it.each([
    ['strategy(id: "unknown") { id }', 'STRATEGY_NOT_FOUND'],
    [`strategy(id: "${'x'.repeat(100_000)}") { id }`, 'STRATEGY_NOT_FOUND'],
    ['strategyDetail(strategyId: "unknown") { strategy { id } }', 'STRATEGY_NOT_FOUND'],
    ['strategies(limit: 501) { data { id } }', 'VALIDATION_ERROR'],
    ['strategies(limit: 0) { data { id } }', 'VALIDATION_ERROR'],
    ['strategies(page: 0) { data { id } }', 'VALIDATION_ERROR'],
    ['strategies(network: "atlantis") { data { id } }', 'VALIDATION_ERROR'],
    ['strategies(asset: "0x12") { data { id } }', 'VALIDATION_ERROR'],
    [`strategies(protocol: "${'x'.repeat(129)}") { data { id } }`, 'VALIDATION_ERROR'],
    ['strategiesConnection(first: 101) { totalCount }', 'VALIDATION_ERROR'],
    ['strategiesConnection(after: "bm9uZQ") { totalCount }', 'VALIDATION_ERROR'],
    [
      'strategy(id: "vault-106-ethereum") { rateHistory(range: { from: "1999-01-01T00:00:00Z" }) { at } }',
      'VALIDATION_ERROR',
    ],
    [
      'strategy(id: "vault-106-ethereum") { rateHistory(range: { from: "2000-01-01T00:00:00Z", step: HOUR }) { at } }',
      'VALIDATION_ERROR',
    ],
  ])('is refused with a documented code: %.80s', async (field, code) => {
    const { run } = await world([rowOf(106)]);
    expect((await run(`{ ${field} }`)).codes).toEqual([code]);
  });

  it('is not for callers without a credential', async () => {
    const { run } = await world([rowOf(107)]);
    for (const field of ['strategy(id: "vault-107-ethereum") { id }', 'strategies { data { id } }'])
      expect((await run(`{ ${field} }`, false)).codes).toEqual(['AUTHENTICATION_REQUIRED']);
  });
});

describe('the list of strategies', () => {
  const rows = [
    rowOf(201, { brand: 'Aave', categories: ['Lending'] }),
    rowOf(202, { id: 'on-base', chainId: 8453 }),
    rowOf(203, { underlying: addressOf(9999) }),
    rowOf(204, { paused: true }),
  ];
  const [first, onBase, other, paused] = rows.map(({ id }) => id);

  async function listed() {
    const opened = await world(rows);
    opened.nodes.values.set(addressOf(203), { asset: addressOf(9999), rate: RAY / 10n });
    opened.nodes.values.set(addressOf(202), { rate: RAY / 20n, deposits: 10n ** 13n });
    opened.nodes.values.set(addressOf(204), { rate: RAY / 2n, deposits: 1n });
    return opened;
  }

  it('is in the order of the catalog, in pages, with the same strategies at each request', async () => {
    const ids = Array.from({ length: 230 }, (_, index) => rowOf(300 + index));
    const { run } = await world(ids);
    const pages = await Promise.all(
      [1, 2, 3].map((page) =>
        run(`{ strategies(page: ${page}) { data { id } pagination { total totalPages limit hasMore } } }`),
      ),
    );
    expect(pages.flatMap((page) => idsOf(page))).toEqual(ids.map(({ id }) => id));
    expect(pages.map(({ data }) => data.strategies.pagination)).toEqual([
      { total: 230, totalPages: 3, limit: 100, hasMore: true },
      { total: 230, totalPages: 3, limit: 100, hasMore: true },
      { total: 230, totalPages: 3, limit: 100, hasMore: false },
    ]);
  });

  it('is filtered by network, protocol, category and asset, in any case', async () => {
    const { run } = await listed();
    const select = async (filter: string) => idsOf(await run(`{ strategies(${filter}) { data { id } } }`));
    await until('the vault with another asset is known', async () => (await select('limit: 9')).length >= 3);
    expect(await select('network: "BASE"')).toEqual([onBase]);
    expect(await select('network: "8453"')).toEqual([onBase]);
    expect(await select('protocol: "aave"')).toEqual([first]);
    expect(await select('protocol: "ERC4626", network: "base"')).toEqual([onBase]);
    expect(await select('category: "LENDING"')).toEqual([first]);
    expect(await select('category: "none"')).toEqual([]);
    expect(await select('asset: "tkn", network: "base"')).toEqual([onBase]);
    expect(await select(`asset: "${ASSET.toLowerCase()}", network: "ethereum"`)).toEqual([first, paused]);
    expect(await select('network: "polygon"')).toEqual([]);
  });

  it('is sorted by yield or deposits, and the best ones accept deposits', async () => {
    const { run, refresh } = await listed();
    await refresh();
    const sorted = async (sort: string) =>
      idsOf(await run(`{ strategies(sort: ${sort}) { data { id } } }`)).filter((id: string) => id !== other);
    expect(await sorted('NET_APY')).toEqual([paused, onBase, first]);
    expect(await sorted('TVL_USD')).toEqual([onBase, first, paused]);
    const { data } = await run('{ bestStrategies(asset: "TKN") { id netAPY } }');
    const best = data.bestStrategies.map(({ id }: any) => id).filter((id: string) => id !== other);
    expect(best).toEqual([onBase, first]);
    const onOne = await run(`{ bestStrategies(asset: "${ASSET}", network: "base") { id } }`);
    expect(onOne.data.bestStrategies).toEqual([{ id: onBase }]);
  });

  it('has metadata and samples at the level FULL only, with one query for all samples', async () => {
    const { run, refresh, query } = await listed();
    await refresh();
    const fields = '{ data { metadata marketData { samples { tvl } } } }';
    const { data } = await run(`{ strategies ${fields} }`);
    for (const strategy of data.strategies.data)
      expect(strategy).toEqual({ metadata: null, marketData: { samples: null } });
    expect(query).not.toHaveBeenCalled();
    const full = await run(`{ strategies(detail: FULL) ${fields} }`);
    for (const { metadata, marketData } of full.data.strategies.data) {
      expect(metadata).toEqual({ EN: { risk: 'low' } });
      expect(marketData.samples).toHaveLength(1);
    }
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('is a connection without gaps and repetitions', async () => {
    const ids = Array.from({ length: 45 }, (_, index) => rowOf(600 + index));
    const { run } = await world(ids);
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const { data } = await run(
        `{ strategiesConnection(first: 20${after}) { nodes { id } edges { cursor node { id } } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      );
      const { nodes, edges, pageInfo, totalCount } = data.strategiesConnection;
      expect([totalCount, pageInfo.hasPreviousPage]).toEqual([45, after !== '']);
      expect([edges[0].cursor, edges.at(-1).cursor]).toEqual([pageInfo.startCursor, pageInfo.endCursor]);
      seen.push(...nodes.map(({ id }: any) => id));
      if (!pageInfo.hasNextPage) break;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    expect(seen).toEqual(ids.map(({ id }) => id));
  });

  it('is unavailable while no chain has responded, and has the strategies of each that has', async () => {
    const { run, nodes } = await world(rows, { isDown: true });
    const { codes, details } = await run('{ strategies { data { id } } }');
    expect([codes, details]).toEqual([
      ['LENDING_SERVICE_UNAVAILABLE'],
      [{ network: 'ethereum', reason: 'the chain does not respond' }],
    ]);
    expect((await run(`{ strategy(id: "${first!}") { id } }`)).codes).toEqual(['LENDING_SERVICE_UNAVAILABLE']);
    nodes.down.delete(8453);
    await until('a chain responds', async () => (await run('{ strategies { data { id } } }')).codes.length === 0);
    expect(idsOf(await run('{ strategies { data { id } } }'))).toEqual([onBase]);
    expect((await run('{ strategies(network: "ethereum") { data { id } } }')).codes).toEqual([
      'LENDING_SERVICE_UNAVAILABLE',
    ]);
  });
});

describe('the rate history', () => {
  it('has the yields and prices of each hour, for all strategies in one query, and of each day', async () => {
    const { run, refresh, nodes, query } = await world([rowOf(701), rowOf(702)], { hasRate: false });
    const begin = Math.floor(nodes.time / HOUR) * HOUR - 50 * HOUR;
    for (let hour = 0; hour <= 49; hour += 1) {
      nodes.time = begin + hour * HOUR + 60;
      const growth = Math.exp(((hour * HOUR) / 31_536_000) * Math.log1p(0.05));
      const price = (RAY * BigInt(Math.round(growth * 1e15))) / 10n ** 15n;
      for (const number of [701, 702]) nodes.values.set(addressOf(number), { price });
      await refresh();
    }
    const from = new Date((begin + 24 * HOUR) * 1000).toISOString();
    const history = `rateHistory(range: { from: "${from}" }) { at grossAPY netAPY sharePrice }`;
    const { data, codes } = await run(`{
      one: strategy(id: "vault-701-ethereum") { ${history} }
      two: strategy(id: "vault-702-ethereum") { ${history} apy avgApy marketData { sharePriceChange24h tvlChange24h } }
    }`);
    expect(codes).toEqual([]);
    expect(query).toHaveBeenCalledTimes(1);
    expect(data.one.rateHistory).toHaveLength(26);
    expect(data.one.rateHistory).toEqual(data.two.rateHistory);
    for (const point of data.one.rateHistory) {
      expect(Math.abs(point.grossAPY - 0.05)).toBeLessThan(1e-4);
      expect(point.netAPY).toBeCloseTo(point.grossAPY * 0.85, 12);
    }
    expect(Math.abs(data.two.apy - 0.05)).toBeLessThan(1e-4);
    expect(Math.abs(data.two.avgApy - 0.05)).toBeLessThan(1e-4);
    expect(data.two.marketData.sharePriceChange24h).toBeCloseTo(Math.expm1(Math.log1p(0.05) / 365), 8);
    expect(data.two.marketData.tvlChange24h).toBe(0);
    const days = await run(
      `{ strategy(id: "vault-701-ethereum") { rateHistory(range: { from: "${from}", step: DAY }) { at } } }`,
    );
    expect(days.data.strategy.rateHistory.length).toBeLessThanOrEqual(3);
    const detail = await run(
      '{ strategyDetail(strategyId: "VAULT-701-ethereum") { strategy { id } rateHistory { sharePrice } } }',
    );
    expect(detail.data.strategyDetail.rateHistory).toHaveLength(50);
  });

  it('has few different ranges in a request', async () => {
    const { run } = await world([rowOf(703)]);
    const fields = Array.from({ length: 6 }, (_, index) => {
      const from = new Date(Date.now() - (index + 2) * 3_600_000).toISOString();
      return `h${index}: rateHistory(range: { from: "${from}" }) { at }`;
    });
    const { codes } = await run(`{ strategy(id: "vault-703-ethereum") { ${fields.join(' ')} } }`);
    expect(new Set(codes)).toEqual(new Set(['VALIDATION_ERROR']));
  });
});
