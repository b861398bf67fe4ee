import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { testVault } from '../../test/swaps/fake-fiat';
import { chains, type offerFor, PRICED, quoteDeps, quoteRequest, units } from '../../test/swaps/swap-world';
import type { CustomerId } from '../auth/principal';
import { uuidV7 } from '../persistence/uuid-v7';
import { canonicalHash } from '../persistence/canonical-hash';
import { findQuote } from './find-quote';
import { priceRowWriter, priceWriter } from './quote-store';
import { quoteSwap } from './quote-swap';
import { quoteView } from './quote-view';

const customerId = uuidV7() as CustomerId;
const LARGEST = 2n ** 256n - 1n;
let world: TestDatabase;

beforeAll(async () => {
  world = await createTestDatabase();
  await world.database.customer.create({ data: { id: customerId, name: 'one' } });
});
afterAll(() => world.drop());

async function priced(changes: Parameters<typeof offerFor>[1] = {}, fields = {}) {
  const swap = await quoteSwap(quoteDeps(), { customerId, fields: { ...PRICED, ...fields } });
  const offer = { ...swap.offer, ...changes };
  return { customerId, swap: { ...swap, offer }, view: quoteView({ ...swap, offer }) };
}

describe('price-only quotes', () => {
  it('are stored exactly, several by one statement', async () => {
    const rawQuote = { memo: 'it\'s a \\ \u00e9 \u{1f980} "quote"', nested: [1, null, { a: 'b' }] };
    const amounts = { expectedAmountOut: units(LARGEST), minAmountOut: units(LARGEST - 1n), amountIn: units(1n) };
    const quotes = [
      await priced({ ...amounts, maxAmountIn: units(LARGEST), rawQuote, execution: rawQuote }),
      await priced({}, { webhookURL: 'https://hooks.example/a' }),
    ];
    let statements = 0;
    const counted = { query: (statement: never) => ((statements += 1), world.pool.query(statement)) };
    await priceWriter(priceRowWriter(counted as never), testVault)(quotes);
    expect(statements).toBe(1);
    const [first, second] = quotes;
    const rowOf = (id: string) => world.database.quote.findUniqueOrThrow({ where: { id } });
    const [one, two] = [await rowOf(first!.swap.quoteId), await rowOf(second!.swap.quoteId)];
    expect(one).toMatchObject({ customerId, provider: 'alpha', webhookUrl: null, bytecodeHash: null, payout: null });
    const decimals = [one.amountIn, one.maxAmountIn, one.expectedAmountOut, one.minAmountOut];
    expect(decimals.map((decimal) => decimal.toFixed())).toEqual(
      [1n, LARGEST, LARGEST, LARGEST - 1n].map((amount) => amount.toString()),
    );
    expect([one.chainIdIn, one.chainIdOut]).toEqual([31_337n, 31_337n]);
    expect(one.deadline).toEqual(first!.swap.deadline);
    expect(one.execution).toMatchObject({ execution: rawQuote });
    expect(Buffer.from(one.rawQuoteHash!)).toEqual(canonicalHash(rawQuote));
    expect(one.view).toEqual(JSON.parse(JSON.stringify(first!.view)));
    expect([two.webhookUrl, two.rawQuoteHash]).toEqual(['https://hooks.example/a', null]);
    expect(two.request).toMatchObject({ amount: quoteRequest().amount.toString(), side: 'in' });
    expect(Date.now() - two.createdAt.getTime()).toBeLessThan(60_000);
  });

  it('do not change the durability of other statements on the connection', async () => {
    const client = await world.pool.connect();
    try {
      const setting = async () => (await client.query('SHOW synchronous_commit')).rows[0].synchronous_commit;
      expect(await setting()).toBe('on');
      await priceWriter(priceRowWriter(client), testVault)([await priced()]);
      expect(await setting()).toBe('on');
    } finally {
      client.release();
    }
  });

  it('that are stored already stay as they are, and raise no second event', async () => {
    const quote = await priced({}, { webhookURL: 'https://hooks.example/a' });
    const save = priceWriter(priceRowWriter(world.pool), testVault);
    const row = () => world.database.quote.findUniqueOrThrow({ where: { id: quote.swap.quoteId } });
    await save([quote]);
    const [stored, events] = [await row(), await world.database.webhookEvent.count()];
    expect(events).toBeGreaterThan(0);
    const offer = { ...quote.swap.offer, minAmountOut: units(1n) };
    await save([{ ...quote, swap: { ...quote.swap, offer } }]);
    expect(await row()).toEqual(stored);
    expect(await world.database.webhookEvent.count()).toBe(events);
  });

  it('need no statement when the list is empty', async () => {
    await priceWriter(() => Promise.reject(new TypeError('asked')), testVault)([]);
    expect(await world.database.quote.count()).toBe(4);
  });

  it('are found once they are stored again, while the database lacks those that a crash lost', async () => {
    const quote = await priced();
    const key = { quoteId: quote.swap.quoteId, customerId };
    const store = () => priceWriter(priceRowWriter(world.pool), testVault)([quote]);
    const find = (pendingRewrite?: () => Promise<void> | undefined) =>
      findQuote({ database: world.database, chains, ...(pendingRewrite && { pendingRewrite }) }, key);
    await expect(find(() => undefined)).rejects.toMatchObject({ code: 'QUOTE_NOT_FOUND' });
    await expect(find(() => Promise.resolve())).rejects.toMatchObject({ code: 'QUOTE_NOT_FOUND' });
    expect(await find(store)).toMatchObject({ quoteId: key.quoteId, bytecodeHash: undefined });
  });
});
