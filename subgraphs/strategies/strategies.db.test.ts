import { until } from '../../test/resilience/until';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { catalogWorld, closeCatalogs } from '../../test/strategies/catalog-world';
import { addressOf, ASSET, ethereum, RAY, rowOf } from '../../test/strategies/scripted-catalog';
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
      apy avgApy grossAPY inceptionApy netAPY rewardAPY rewards { apy } logourl category
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
      chain: { name: ethereum.name, id: 1, explorer: ethereum.explorer, logo: ethereum.logoURI },
      assetToken: { ...tkn, address: addressOf(101) },
      underlyingToken: { ...tkn, address: ASSET },
      apy: expect.closeTo(apy, 8),
      grossAPY: expect.closeTo(apy, 8),
      netAPY: expect.closeTo(apy * 0.85, 8),
      avgApy: null,
      rewardAPY: null,
      rewards: [],
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
