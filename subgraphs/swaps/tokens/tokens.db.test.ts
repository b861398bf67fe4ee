import { graphql } from 'graphql';
import { newCustomer } from '../../../test/actions/sample-action';
import { observed } from '../../../test/prices/observation';
import { usdPrice } from '../../../test/setup/usd';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { createRequestContext } from '../../../src/auth/request-context';
import { NATIVE_TOKEN } from '../../../src/chains/addresses';
import { createChainTable } from '../../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../../src/chains/known-chains';
import { isServiceError } from '../../../src/errors/service-error';
import { storeSamples } from '../../../src/prices/samples/price-sample-store';
import type { PriceResult } from '../../../src/prices/token-price';
import { createTokenRegistry } from '../../../src/tokens/token-registry';
import type { Token } from '../../../src/tokens/token';
import { buildSubgraph } from '../../schema/build-subgraph';
import { tokenParts } from './index';

const chains = createChainTable(KNOWN_CHAINS);
const ethereum = chains.get(1);
const UNLISTED = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const [WETH, USDC] = ['WETH', 'USDC'].map(
  (symbol) => ethereum.tokens.find((token) => token.symbol === symbol)!.address,
);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const asOf = new Date(Date.now() - 60_000);
const priced: PriceResult = {
  price: { ...observed('3000.25', { asOf, confidenceBps: 9950 }), flags: ['DEVIATION'], isConfirmed: false },
};

function world(price: (token: Token) => PriceResult = () => priced) {
  const reads: (readonly Token[])[] = [];
  const recorded: string[] = [];
  const query = jest.fn((text: string, values: unknown[]) => test.pool.query(text, values));
  const uniswap = { symbol: 'UNI', name: 'Uniswap', decimals: 18 };
  const deps = {
    chains,
    isServed: ({ chainId }: { readonly chainId: number }) => chainId === 1 || chainId === 0,
    tokens: createTokenRegistry({
      metadata: { read: (_, address) => Promise.resolve(address === UNLISTED ? uniswap : undefined) },
      store: { find: () => Promise.resolve(new Map()), save: () => Promise.resolve() },
      log: { warn: () => undefined },
    }),
    tokenPrices: {
      read(tokens: readonly Token[]) {
        reads.push(tokens);
        return Promise.resolve(tokens.map(price));
      },
    },
    recordTokens(_: string, tokens: readonly { readonly address: string }[]) {
      recorded.push(...tokens.map(({ address }) => address));
      return Promise.resolve();
    },
    pool: { query } as never,
  };
  const { schema } = buildSubgraph({ name: 'tokens', ...tokenParts(deps) });
  const run = async (source: string, signedIn = true) => {
    const principal = signedIn ? ({ kind: 'apiKey', customerId: newCustomer(), keyId: 'key' } as const) : undefined;
    const contextValue = createRequestContext({ requestId: 'r', principal, signal: AbortSignal.timeout(5000) });
    const { data, errors } = await graphql({ schema, source, contextValue });
    const codes = errors?.map(({ originalError }) =>
      isServiceError(originalError) ? originalError.code : originalError,
    );
    return { data: JSON.parse(JSON.stringify(data ?? null)) as unknown, codes };
  };
  return { run, reads, recorded, query };
}

const PRICE = 'price { usd asOf source kind confidenceBps flags isConfirmed } missingPriceReason';

describe('a token in the graph', () => {
  it('has its exact price with source, time, kind, certainty and flags', async () => {
    const { run } = world();
    const { data } = await run(`{ token(chain: "ethereum", address: "${WETH}") { symbol chainId address ${PRICE} } }`);
    expect(data).toEqual({
      token: {
        symbol: 'WETH',
        chainId: 1,
        address: WETH,
        price: {
          usd: '3000.25',
          asOf: asOf.toISOString(),
          source: 'chainlink',
          kind: 'oracle',
          confidenceBps: 9950,
          flags: ['DEVIATION'],
          isConfirmed: false,
        },
        missingPriceReason: null,
      },
    });
  });

  it('without a price has the reason', async () => {
    const { run, recorded } = world(() => ({ missing: 'SOURCES_DISAGREE' }));
    const { data } = await run(`{ token(chain: "1", address: "${WETH}") { ${PRICE} } }`);
    expect(data).toEqual({ token: { price: null, missingPriceReason: 'SOURCES_DISAGREE' } });
    expect(recorded).toEqual([]);
  });

  it('is read with all other tokens of the request, once', async () => {
    const { run, reads } = world();
    const { data } = await run(`{
      tokens(chain: "ethereum", limit: 4) { data { ${PRICE} } pagination { total } }
      token(chain: "ethereum", address: "${WETH}") { ${PRICE} }
    }`);
    expect(data).toMatchObject({ tokens: { pagination: { total: ethereum.tokens.length } } });
    expect(reads.flat().map(({ address }) => address)).toEqual([
      ...new Set(reads.flat().map(({ address }) => address)),
    ]);
    expect(reads.flat()).toHaveLength(4);
    expect(reads.length).toBeLessThanOrEqual(2);
  });

  it('is sampled from then on: the native coin as its wrapper, an unlisted token as itself', async () => {
    const { run, recorded } = world();
    await run(`{
      coin: token(chain: "ethereum", address: "${NATIVE_TOKEN}") { ${PRICE} }
      other: token(chain: "ethereum", address: "${UNLISTED}") { symbol ${PRICE} }
    }`);
    expect(new Set(recorded)).toEqual(new Set([WETH, UNLISTED]));
  });

  it.each([
    ['token(chain: "nowhere", address: "0x1") { symbol }', 'VALIDATION_ERROR'],
    ['token(chain: "base", address: "0x1") { symbol }', 'VALIDATION_ERROR'],
    ['token(chain: "ethereum", address: "0x1") { symbol }', 'VALIDATION_ERROR'],
    [`token(chain: "ethereum", address: "${'1'.repeat(100_000)}") { symbol }`, 'VALIDATION_ERROR'],
    ['tokens(chain: "ethereum", limit: 101) { data { symbol } }', 'VALIDATION_ERROR'],
    ['tokens(chain: "ethereum", page: 0) { data { symbol } }', 'VALIDATION_ERROR'],
  ])('is refused with a documented code: %.60s', async (field, code) => {
    expect((await world().run(`{ ${field} }`)).codes).toEqual([code]);
  });

  it('is not for callers without a credential', async () => {
    const { codes } = await world().run(`{ token(chain: "ethereum", address: "${WETH}") { symbol } }`, false);
    expect(codes).toEqual(['AUTHENTICATION_REQUIRED']);
  });

  it('is found by its key, with its price, for other parts of the graph', async () => {
    const keys = [WETH, USDC].map((address) => `{ __typename: "Token", chainId: 1, address: "${address}" }`).join(', ');
    const { run, reads } = world();
    const { data } = await run(`{ _entities(representations: [${keys}]) { ... on Token { symbol price { usd } } } }`);
    expect(data).toEqual({
      _entities: ['WETH', 'USDC'].map((symbol) => ({ symbol, price: { usd: '3000.25' } })),
    });
    expect(reads).toHaveLength(1);
  });
});

describe('the price history of tokens', () => {
  const HOUR = 3_600_000;
  const begin = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;
  const from = new Date(begin).toISOString();
  beforeAll(async () => {
    const stated = (address: string | undefined, hours: number, usd: string) => ({
      chainId: 1,
      address: address!,
      usdE24: usdPrice(usd),
      source: 'pyth',
      kind: 'oracle' as const,
      flags: ['SINGLE_SOURCE'] as const,
      isConfirmed: false,
      isListed: true,
      asOf: new Date(begin + hours * HOUR),
    });
    await storeSamples(test, [
      stated(WETH, 1, '2999.5'),
      stated(WETH, 1.5, '3000.5'),
      stated(WETH, 3, '3001'),
      stated(USDC, 2, '0.9999'),
    ]);
  });

  it('has the last price of each step, for all tokens in one query', async () => {
    const { run, query } = world();
    const history = `priceHistory(range: { from: "${from}", step: HOUR }) { at usd source kind flags isConfirmed }`;
    const { data } = await run(`{
      coin: token(chain: "ethereum", address: "${NATIVE_TOKEN}") { ${history} }
      dollar: token(chain: "ethereum", address: "${USDC}") { ${history} }
      real: token(chain: "fiat", address: "BRL") { ${history} }
    }`);
    const point = (hours: number, usd: string) => ({
      at: new Date(begin + hours * HOUR).toISOString(),
      usd,
      source: 'pyth',
      kind: 'oracle',
      flags: ['SINGLE_SOURCE'],
      isConfirmed: false,
    });
    expect(data).toEqual({
      coin: { priceHistory: [point(1.5, '3000.5'), point(3, '3001')] },
      dollar: { priceHistory: [point(2, '0.9999')] },
      real: { priceHistory: [] },
    });
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('has few different ranges in a request, each of which is a query', async () => {
    const { run, query } = world();
    const ranges = Array.from({ length: 6 }, (_, index) => new Date(begin + index * 60_000).toISOString());
    const fields = [...ranges, ranges[0]].map(
      (start, index) => `h${index}: priceHistory(range: { from: "${start}", step: HOUR }) { at }`,
    );
    const { codes } = await run(`{ token(chain: "ethereum", address: "${WETH}") { ${fields.join(' ')} } }`);
    expect(new Set(codes)).toEqual(new Set(['INVALID_PRICE_RANGE']));
    expect(query.mock.calls.length).toBeLessThanOrEqual(4);
  });

  it.each([
    ['{ from: "0001-01-01T00:00:00Z", to: "0001-01-02T00:00:00Z" }', ''],
    [`{ from: "${from}", to: "${from}" }`, ''],
    ['{ from: "2000-01-01T00:00:00Z" }', ''],
    [`{ from: "${from}", step: FIVE_MINUTES }`, ', limit: 10'],
    [`{ from: "${from}" }`, ', limit: 501'],
    [`{ from: "${from}" }`, ', limit: -1'],
  ])('is refused for the range %s%s', async (range, limit) => {
    const field = `priceHistory(range: ${range}${limit}) { at }`;
    const { codes } = await world().run(`{ token(chain: "ethereum", address: "${WETH}") { ${field} } }`);
    expect(codes).toEqual(['INVALID_PRICE_RANGE']);
  });
});
