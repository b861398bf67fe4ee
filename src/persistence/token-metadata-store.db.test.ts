import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { createTokenMetadataStore } from './token-metadata-store';

const UNI = { symbol: 'UNI', name: 'Uniswap ₮ 🦄', decimals: 18, flaws: [] };
const ADDRESS = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const BEYOND_32_BITS = 1_151_111_081_099_710;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('the store of token metadata', () => {
  it('stores the metadata of a token for its chain only', async () => {
    const store = createTokenMetadataStore(test.database);
    expect(await store.find(1, [ADDRESS])).toEqual(new Map());
    await store.save({ chainId: 1, address: ADDRESS, ...UNI });
    expect(await store.find(1, [ADDRESS, 'another'])).toEqual(new Map([[ADDRESS, UNI]]));
    expect(await store.find(BEYOND_32_BITS, [ADDRESS])).toEqual(new Map());
    await store.save({ chainId: BEYOND_32_BITS, address: ADDRESS, ...UNI, decimals: 6 });
    expect(await store.find(BEYOND_32_BITS, [ADDRESS])).toEqual(new Map([[ADDRESS, { ...UNI, decimals: 6 }]]));
  });

  it('lets any number of replicas save the same token at once', async () => {
    const store = createTokenMetadataStore(test.database);
    await Promise.all(Array.from({ length: 20 }, () => store.save({ chainId: 10, address: ADDRESS, ...UNI })));
    expect(await store.find(10, [ADDRESS])).toEqual(new Map([[ADDRESS, UNI]]));
  });

  it('does not know the flaws of a token that a former version has stored, until it is saved again', async () => {
    const store = createTokenMetadataStore(test.database);
    const { symbol, name, decimals } = UNI;
    const texts = { symbol, name, decimals };
    await test.pool.query(
      `INSERT INTO "TokenMetadata" ("chainId", address, symbol, name, decimals, "updatedAt") VALUES (5, $1, $2, $3, $4, now())`,
      [ADDRESS, texts.symbol, texts.name, texts.decimals],
    );
    expect((await store.find(5, [ADDRESS])).get(ADDRESS)).toEqual(texts);
    await store.save({ chainId: 5, address: ADDRESS, ...texts, flaws: ['noName'] });
    expect((await store.find(5, [ADDRESS])).get(ADDRESS)).toEqual({ ...texts, flaws: ['noName'] });
  });
});
