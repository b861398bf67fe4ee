import { openEventStream } from '../setup/event-stream';
import { customerNamed, runningService } from '../setup/running-service';
import { until } from '../resilience/until';

const service = runningService();
const apiKey = customerNamed(service, 'load').apiKey;

async function get(path: string, headers: Record<string, string> = { 'x-api-key': apiKey }) {
  const response = await fetch(service.baseUrl + path, { headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

beforeAll(async () => {
  await until('the markets of both chains are read', async () => {
    const { status, body } = await get('/strategies');
    return status === 200 && body.data.length === 15 && body.data.every((each: any) => each.marketData !== undefined);
  });
});

describe('the strategies of the running service', () => {
  it('are the markets of the local chains, with what these say', async () => {
    const { status, body } = await get('/strategies');
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ page: 1, limit: 100, total: 15, totalPages: 1, hasMore: false });
    const aave = body.data.find(({ id }: any) => id === 'Aave-USDC-devnet');
    expect(aave).toMatchObject({
      slug: 'aave-usdc-devnet',
      network: 'devnet',
      networkId: '31337',
      protocol: 'Aave',
      implementationSelector: 'aave-v3',
      availableActions: ['lend', 'withdraw', 'claim'],
      fee: '0',
      underlyingToken: { symbol: 'USDC', decimals: 6 },
      chain: { id: 31337 },
    });
    expect(aave.apy).toBeGreaterThan(0);
    expect([aave.apy, aave.netAPY]).toEqual([aave.grossAPY, aave.grossAPY]);
    expect(BigInt(aave.marketData.tvl)).toBeGreaterThan(0n);
    expect([aave.metadata, aave.marketData.samples]).toEqual([undefined, undefined]);
    for (const { apyAfterFees } of body.data) expect(apyAfterFees).toBeUndefined();
  });

  it('are the same at /v2/strategies, in every page size, and filtered by network, protocol, category and asset', async () => {
    const all = (await get('/strategies')).body.data.map(({ id }: any) => id);
    const two = await get('/v2/strategies?limit=5&page=2');
    expect(two.body.data.map(({ id }: any) => id)).toEqual(all.slice(5, 10));
    const select = async (query: string) => (await get(`/v2/strategies?${query}`)).body.data.map(({ id }: any) => id);
    expect(await select('network=devnet-l2')).toHaveLength(7);
    expect(await select('network=31338&protocol=AAVE&asset=weth')).toEqual(['Aave-WETH-devnet-l2']);
    expect(await select('protocol=compound-v3&network=devnet&category=')).toEqual(['Compound-USDC-devnet']);
    expect(await select('category=none')).toEqual([]);
  });

  it('stream their rates: first all that were requested, with what the lists say', async () => {
    const stream = await openEventStream({
      url: service.graphqlUrl,
      query:
        'subscription { strategyRates(strategyIds: ["Aave-USDC-devnet", "steady-usdc-devnet"]) { strategyId grossAPY tvl } }',
      variables: {},
      headers: { 'x-api-key': apiKey },
    });
    const rates = (await stream.next())?.data.data.strategyRates;
    expect(rates.map(({ strategyId }: any) => strategyId)).toEqual(['Aave-USDC-devnet', 'Steady-USDC-devnet']);
    expect(rates[0].grossAPY).toBeGreaterThan(0);
    stream.close();
  });

  it('have metadata and samples at the level FULL', async () => {
    const { body } = await get('/strategies?detail=FULL&network=devnet');
    const rewarded = body.data.find(({ id }: any) => id === 'Aave-USDC-devnet');
    expect(rewarded.rewards).toMatchObject([
      { token: { symbol: 'lAAVE' }, endsAt: '2100-01-01T00:00:00.000Z', flags: ['NO_PRICE'] },
    ]);
    const daily = 100n * 10n ** 18n;
    expect(BigInt(rewarded.rewards[0].emissionPerYear) / 365n / 10n ** 9n).toBe(daily / 10n ** 9n - 1n);
    for (const { metadata, marketData } of body.data) {
      expect(metadata.description).toEqual(expect.any(String));
      expect(marketData.samples.length).toBeGreaterThan(0);
    }
  });

  it.each(['/strategies/', '/v2/strategies/'])('are found at %s by id and slug in any case', async (path) => {
    for (const id of ['Steady-USDC-devnet', 'steady-usdc-devnet', 'STEADY-USDC-DEVNET']) {
      const { status, body } = await get(path + id);
      expect([status, body.strategy.id]).toEqual([200, 'Steady-USDC-devnet']);
      expect(body.rateHistory.length).toBeGreaterThan(0);
      expect(body.rateHistory[0]).toMatchObject({ at: expect.any(String), sharePrice: expect.any(Number) });
    }
  });

  it.each([
    ['/strategies/unknown', 404, 'STRATEGY_NOT_FOUND'],
    ['/v2/strategies/unknown', 404, 'STRATEGY_NOT_FOUND'],
    ['/strategies?limit=501', 422, 'VALIDATION_ERROR'],
    ['/strategies?limit=many&page=0&detail=ALL&sort=best', 422, 'VALIDATION_ERROR'],
    ['/strategies?network=atlantis', 422, 'VALIDATION_ERROR'],
    ['/strategies?asset=0x12', 422, 'VALIDATION_ERROR'],
  ])('are refused at %s with %d', async (path, status, code) => {
    const response = await get(path);
    expect([response.status, response.body.error.code]).toEqual([status, code]);
  });

  it('name every problem of a query, and need a key', async () => {
    const { body } = await get('/strategies?limit=many&page=0&detail=ALL');
    expect(body.error.details.errors.map((each: any) => each.path).sort()).toEqual(['detail', 'limit', 'page']);
    expect((await get('/strategies', {})).body.error.code).toBe('AUTHENTICATION_REQUIRED');
    expect((await get('/strategies?unknown=1')).headers.get('x-ignored-parameters')).toBe('unknown');
  });

  it('are counted in the health report', async () => {
    const { body } = await get('/health', {});
    const known = { status: 'ok', strategies: 7, refused: 0, waiting: 0 };
    expect(body.checks.strategies).toMatchObject({ devnet: { ...known, strategies: 8 }, 'devnet-l2': known });
  });
});
