import { until } from '../../test/resilience/until';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { catalogWorld, closeCatalogs } from '../../test/strategies/catalog-world';
import { addressOf, ASSET, RAY, rowOf } from '../../test/strategies/scripted-catalog';
import type { StrategyRow } from '../../src/strategies/strategy-row';

const HOUR = 3600;
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});

const world = (rows: readonly StrategyRow[], options?: Parameters<typeof catalogWorld>[2]) =>
  catalogWorld(test, rows, options);

const idsOf = ({ data }: { readonly data: any }, field = 'strategies') => data?.[field].data.map(({ id }: any) => id);

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
    expect((await run('{ bestStrategies(asset: " ") { id } }')).codes).toEqual(['VALIDATION_ERROR']);
  });

  it('ranks no strategy by a stale or doubtful yield', async () => {
    const { run, refresh } = await world([rowOf(211), rowOf(212), rowOf(213)]);
    await refresh();
    const age = (id: number, change: string) =>
      test.pool.query(`UPDATE "StrategyState" SET ${change}, "updatedAt" = now() WHERE "strategyId" = $1`, [
        `vault-${String(id)}-ethereum`,
      ]);
    await age(211, `at = at - interval '16 minutes', "yearlyRateRay" = "yearlyRateRay" * 3`);
    await age(
      212,
      `"doubtfulAt" = at, "doubtfulSharePriceRay" = 1, "doubtfulTvl" = 1, "yearlyRateRay" = "yearlyRateRay" * 2`,
    );
    const reliable = rowOf(213).id;
    await until('the changes are read', async () => {
      const { data } = await run('{ bestStrategies(asset: "TKN") { id } }');
      return data.bestStrategies.length === 1 && data.bestStrategies[0].id === reliable;
    });
    const first = idsOf(await run('{ strategies(sort: NET_APY) { data { id } } }'))[0];
    expect(first).toBe(reliable);
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

  it('has few steps for all strategies of a request together', async () => {
    const { run } = await world(Array.from({ length: 41 }, (_, index) => rowOf(800 + index)));
    const from = new Date(Date.now() - 498 * 3_600_000).toISOString();
    const histories = (limit: number) =>
      run(`{ strategies(limit: ${limit}) { data { rateHistory(range: { from: "${from}", step: HOUR }) { at } } } }`);
    expect((await histories(40)).codes).toEqual([]);
    expect(new Set((await histories(41)).codes)).toEqual(new Set(['VALIDATION_ERROR']));
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
