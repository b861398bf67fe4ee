import { newCustomer } from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import type { CustomerId } from '../auth/principal';
import { claimSnapshots, NEVER_COMPUTED, storeSnapshot } from './snapshot-store';
import { toMicroUsd } from '../money/usd';
import { downSampleWalletValues, readWalletValues, type ValueCurrency, type ValueRange } from './wallet-values';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const [WALLET, OTHER] = ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'];
const { signal } = new AbortController();

async function registered(): Promise<CustomerId> {
  const customerId = newCustomer();
  await test.database.customerWallet.createMany({
    data: [WALLET, OTHER].map((address) => ({ customerId, address })),
  });
  return customerId;
}

interface Observation {
  readonly agoSeconds: number;
  readonly usd: bigint;
  readonly brl?: bigint | null;
  readonly section?: 'tokens' | 'earn';
  readonly wallet?: string;
}

/** Observations at the end of five minutes that began so many seconds before the current five minutes. */
async function observe(customerId: CustomerId, observations: readonly Observation[]): Promise<void> {
  const now = Math.floor(Date.now() / 300_000) * 300_000;
  await test.database.walletValue.createMany({
    data: observations.map(({ agoSeconds, usd, brl = null, section = 'tokens', wallet = WALLET }) => {
      const step = new Date(now - agoSeconds * 1000);
      const values = { usdMicros: usd.toString(), brlMicros: brl?.toString() ?? null, unpriced: 0 };
      return { customerId, wallet, section, step, at: new Date(step.getTime() + 200_000), ...values };
    }),
  });
}

async function totals(customerId: CustomerId, range: ValueRange = 'DAY', currency: ValueCurrency = 'USD') {
  const [points] = await readWalletValues(test, { customerId, wallets: [WALLET], range, currency });
  return points!.map(({ total }) => total);
}

describe('the values of a wallet', () => {
  it('are observed when a snapshot is stored: the last one in five minutes, exact, and none for an incomplete one', async () => {
    const customerId = await registered();
    const key = { customerId, section: 'tokens', format: 1 };
    const huge = 123_456_789_012_345_678_901_234_567n;
    const store = async (usd: bigint | undefined) => {
      const { version } = await test.database.walletSnapshot
        .findFirstOrThrow({ where: { customerId } })
        .catch(() => NEVER_COMPUTED);
      const claims = await claimSnapshots(test, { ...key, wallets: [WALLET] }, () => String(version));
      const worth = usd === undefined ? undefined : { usd: toMicroUsd(usd), brl: usd * 5n, unpriced: 2 };
      const stored = await storeSnapshot(
        test,
        { ...key, wallet: WALLET },
        { ...claims.get(WALLET)!, body: '{}', worth },
      );
      expect(stored).toBeDefined();
    };
    await store(1n);
    await store(huge);
    await store(undefined);
    const [points] = await readWalletValues(test, { customerId, wallets: [WALLET], range: 'DAY', currency: 'USD' });
    expect(points!.at(-1)).toEqual({ at: expect.any(Date), tokens: huge, earn: undefined, total: huge, unpriced: 2 });
    expect((await totals(customerId, 'DAY', 'BRL')).at(-1)).toBe(huge * 5n);
  });

  it('are the last ones of each step, with the last known value of the other section', async () => {
    const customerId = await registered();
    await observe(customerId, [
      { agoSeconds: 900, usd: 10n },
      { agoSeconds: 600, usd: 7n, section: 'earn' },
      { agoSeconds: 300, usd: 11n },
    ]);
    expect(await totals(customerId)).toEqual([10n, 17n, 18n]);
    const year = await totals(customerId, 'YEAR');
    expect(year.at(-1)).toBe(18n);
    expect(year.length).toBeLessThanOrEqual(2); // two when the day has just begun
  });

  it('have no point before the range, for another customer or wallet, or in reais without a price of the real', async () => {
    const [customerId, stranger] = [await registered(), await registered()];
    await observe(customerId, [
      { agoSeconds: 2 * 86_400, usd: 1n, brl: 5n },
      { agoSeconds: 600, usd: 2n, brl: null },
      { agoSeconds: 300, usd: 3n, brl: 15n },
      { agoSeconds: 300, usd: 99n, wallet: OTHER },
    ]);
    expect(await totals(customerId)).toEqual([2n, 3n]);
    expect(await totals(customerId, 'WEEK')).toContain(1n);
    expect(await totals(customerId, 'DAY', 'BRL')).toEqual([15n]);
    expect(await totals(stranger)).toEqual([]);
  });

  it('are at most 367 in any range', async () => {
    const customerId = await registered();
    const observations = Array.from({ length: 5000 }, (_, index) => ({ agoSeconds: index * 7200, usd: 1n }));
    await observe(customerId, observations);
    for (const range of ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const) {
      expect((await totals(customerId, range)).length).toBeLessThanOrEqual(367);
    }
  });

  it('are reduced to the last one of each hour after a day, and of each day after a month, in any number of runs', async () => {
    const customerId = await registered();
    await test.database.walletValue.deleteMany();
    const ages = (days: number) => Array.from({ length: 24 * 12 }, (_, index) => days * 86_400 + index * 300);
    const all = [0, 5, 40].flatMap(ages).map((agoSeconds) => ({ agoSeconds, usd: BigInt(agoSeconds) }));
    await observe(customerId, all);
    const newestOf = async () =>
      (await test.database.walletValue.findMany({ where: { customerId }, orderBy: { step: 'desc' } })).length;
    const rows = await newestOf();
    expect(await downSampleWalletValues({ ...test, batchSize: 50 }, signal)).toBeGreaterThan(0);
    const left = await newestOf();
    // A day by five minutes, one by hours, one by days; hours and days that a boundary cuts count twice.
    expect(left).toBeLessThanOrEqual(24 * 12 + 26 + 3);
    expect(left).toBeLessThan(rows);
    expect(await downSampleWalletValues(test, signal)).toBe(0);
    expect(await newestOf()).toBe(left);
    expect((await totals(customerId)).at(-1)).toBe(0n); // the newest value is untouched
  });

  it('go with their wallet', async () => {
    const customerId = await registered();
    await observe(customerId, [{ agoSeconds: 0, usd: 1n }]);
    await test.database.customerWallet.deleteMany({ where: { customerId } });
    expect(await test.database.walletValue.count({ where: { customerId } })).toBe(0);
  });
});
