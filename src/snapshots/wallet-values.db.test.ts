import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newCustomer } from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import type { CustomerId } from '../auth/principal';
import { PROJECT_ROOT } from '../config/project-root';
import { toMicroUsd } from '../money/usd';
import { createSnapshotReader } from './snapshot-reader';
import type { SnapshotStoreDeps } from './snapshot-store';
import { decodeSnapshot, encodeSnapshot } from './snapshot-text';
import { downSampleWalletValues, readWalletValues, type ValueCurrency, type ValueRange } from './wallet-values';

/** Start of the five-minute step of every observation: the step before the present one, which ends during no test. */
const STEP_AT = Math.floor(Date.now() / 300_000) * 300_000 - 300_000;
let observations = 0;
/** Each observation is a millisecond after the one before. */
const observedAt = (): Date => new Date(STEP_AT + (observations += 1));

let test: TestDatabase & Pick<SnapshotStoreDeps, 'observedAt'>;
beforeAll(async () => {
  test = Object.assign(await createTestDatabase(), { observedAt });
});
afterAll(() => test.drop());

const [WALLET, OTHER] = ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'];
const MIGRATIONS = path.join(PROJECT_ROOT, 'prisma/migrations');
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
  readonly unread?: number;
  readonly section?: Section | 'total';
  readonly wallet?: string;
}

/** Observations at the end of five minutes that began so many seconds before those of every other observation. */
async function observe(customerId: CustomerId, observed: readonly Observation[]): Promise<void> {
  await test.database.walletValue.createMany({
    data: observed.map(({ agoSeconds, usd, brl = null, unread = 0, section = 'tokens', wallet = WALLET }) => {
      const step = new Date(STEP_AT - agoSeconds * 1000);
      const values = { usdMicros: usd.toString(), brlMicros: brl?.toString() ?? null, unpriced: 0, unread };
      return { customerId, wallet, section, step, at: new Date(step.getTime() + 200_000), ...values };
    }),
  });
}

async function pointsOf(customerId: CustomerId, range: ValueRange = 'DAY', currency: ValueCurrency = 'USD') {
  const [points] = await readWalletValues(test, { customerId, wallets: [WALLET], range, currency });
  return points!;
}

async function tokensOf(customerId: CustomerId, range?: ValueRange, currency?: ValueCurrency) {
  return (await pointsOf(customerId, range, currency)).map(({ tokens }) => tokens);
}

type Section = 'tokens' | 'earn';

/** Reads sections of the wallet, which are worth so much now; `undefined`: nothing of the section could be read. */
async function request(
  customerId: CustomerId,
  worth: Readonly<Partial<Record<Section, bigint | undefined>>>,
  {
    unread = 0,
    receipts = 0n,
    apartUnpriced = 1,
  }: { readonly unread?: number; readonly receipts?: bigint | 'unknown'; readonly apartUnpriced?: number } = {},
) {
  const read = (Object.keys(worth) as Section[]).map((section) => {
    const reader = createSnapshotReader<{ readonly usd: bigint | undefined }>(
      { ...test, log: { error: () => undefined }, snapshotTimes: { freshMs: 0, servedMs: 0, waitMs: 60_000 } },
      {
        name: section,
        format: 1,
        encode: encodeSnapshot,
        decode: (text) => ({ value: decodeSnapshot(text) as { readonly usd: bigint | undefined }, isServable: false }),
        worthOf({ usd }) {
          if (usd === undefined) return undefined;
          const own = receipts === 'unknown' ? undefined : usd - (section === 'tokens' ? receipts : 0n);
          const apart =
            own === undefined ? undefined : { usd: toMicroUsd(own), brl: own * 5n, unpriced: apartUnpriced };
          return { usd: toMicroUsd(usd), brl: usd * 5n, apart, unpriced: 1, unread };
        },
        compute: () => new Map([[WALLET, Promise.resolve({ usd: worth[section] })]]),
      },
    );
    return reader({ customerId, wallets: [WALLET], signal });
  });
  for (const [served] of await Promise.all(read)) expect(served).not.toBeInstanceOf(Error);
}

/** Everything that is stored of the wallet becomes five minutes older. */
async function fiveMinutesLater(customerId: CustomerId): Promise<void> {
  await test.pool.query(
    `UPDATE "WalletValue" SET step = step - interval '5 minutes', at = at - interval '5 minutes' WHERE "customerId" = $1`,
    [customerId],
  );
  await test.pool.query(
    `UPDATE "WalletSnapshot" SET "computedAt" = "computedAt" - interval '5 minutes' WHERE "customerId" = $1`,
    [customerId],
  );
}

describe('the values of a wallet', () => {
  it('are observed when a snapshot is stored: the last one in five minutes, exact, and none when nothing was read', async () => {
    const customerId = await registered();
    const huge = 123_456_789_012_345_678_901_234_567n;
    await request(customerId, { tokens: 1n });
    await request(customerId, { tokens: huge });
    await request(customerId, { tokens: undefined });
    const point = { at: expect.any(Date), tokens: huge, earn: undefined, total: undefined, unpriced: 1, unread: 0 };
    expect((await pointsOf(customerId)).at(-1)).toEqual(point);
    expect((await tokensOf(customerId, 'DAY', 'BRL')).at(-1)).toBe(huge * 5n);
  });

  it('have a total of sections that are requested together, also after one of them is requested alone', async () => {
    const customerId = await registered();
    await request(customerId, { tokens: 1n, earn: 1000n });
    await request(customerId, { tokens: 2n, earn: 1000n });
    const point = { at: expect.any(Date), tokens: 2n, earn: 1000n, total: 1002n, unpriced: 2, unread: 0 };
    expect((await pointsOf(customerId)).at(-1)).toEqual(point);
    expect((await pointsOf(customerId, 'YEAR', 'BRL')).at(-1)).toMatchObject({ total: 5010n });
    await request(customerId, { tokens: 3n });
    expect((await pointsOf(customerId)).at(-1)).toMatchObject({ tokens: 3n, earn: 1000n });
  });

  it('count tokens that stand for positions in strategies once, and have no total while these are unknown', async () => {
    const customerId = await registered();
    await request(customerId, { tokens: 1500n, earn: 1000n }, { receipts: 1000n });
    expect((await pointsOf(customerId)).at(-1)).toMatchObject({ tokens: 1500n, earn: 1000n, total: 1500n });
    expect((await pointsOf(customerId, 'DAY', 'BRL')).at(-1)).toMatchObject({ total: 7500n });
    await fiveMinutesLater(customerId);
    await request(customerId, { tokens: 1500n, earn: 1000n }, { receipts: 'unknown' });
    expect((await pointsOf(customerId)).at(-1)).toMatchObject({ tokens: 1500n, earn: 1000n, total: undefined });
  });

  it('have a total that lacks no price of a token which is not in it', async () => {
    const customerId = await registered();
    await request(customerId, { tokens: 1500n, earn: 1000n }, { receipts: 1000n, apartUnpriced: 0 });
    // One of the positions has no price.
    expect((await pointsOf(customerId)).at(-1)).toMatchObject({ total: 1500n, unpriced: 1 });
    await fiveMinutesLater(customerId);
    await request(customerId, { tokens: 1500n, earn: 1000n }, { receipts: 'unknown' });
    expect((await pointsOf(customerId)).at(-1)).toMatchObject({ total: undefined, unpriced: 2 });
  });

  it.each([
    ['fails', { tokens: 1000n, earn: undefined }],
    ['is not requested', { tokens: 1000n }],
  ])('never add a section that %s to one of another time: what was withdrawn would count twice', async (_, later) => {
    const customerId = await registered();
    await request(customerId, { tokens: 0n, earn: 1000n });
    await fiveMinutesLater(customerId);
    await request(customerId, later);
    const points = (await pointsOf(customerId)).slice(-2).map(({ tokens, earn, total }) => [tokens, earn, total]);
    expect(points).toEqual([
      [0n, 1000n, 1000n],
      [1000n, undefined, undefined],
    ]);
  });

  it('of a section with unread chains are counted as such, are in no total, and never replace complete ones', async () => {
    const customerId = await registered();
    await request(customerId, { tokens: 5n, earn: 1000n }, { unread: 2 });
    const last = async () => (await pointsOf(customerId)).at(-1);
    expect(await last()).toMatchObject({ tokens: 5n, earn: 1000n, total: undefined, unread: 4 });
    await request(customerId, { tokens: 7n, earn: 1000n });
    expect(await last()).toMatchObject({ tokens: 7n, total: 1007n, unread: 0 });
    await request(customerId, { tokens: 5n, earn: 1000n }, { unread: 2 });
    expect(await last()).toMatchObject({ tokens: 7n, total: 1007n, unread: 0 });
    await fiveMinutesLater(customerId);
    await request(customerId, { tokens: 6n }, { unread: 1 });
    expect(await last()).toMatchObject({ tokens: 6n, earn: undefined, total: undefined, unread: 1 });
  });

  it('of a longer step are the last complete ones', async () => {
    const customerId = await registered();
    const day = (STEP_AT / 1000) % 86_400;
    await observe(customerId, [
      { agoSeconds: day + 1200, usd: 1n },
      { agoSeconds: day + 900, usd: 2n },
      { agoSeconds: day + 600, usd: 3n, unread: 1 },
    ]);
    expect(await tokensOf(customerId, 'YEAR')).toEqual([2n]);
  });

  it('never add sections with a recorded change between them', async () => {
    const customerId = await registered();
    await request(customerId, { tokens: 0n });
    await test.database.pinnedToken.create({ data: { customerId, wallet: WALLET, chainId: 1n, token: '0xa' } });
    await request(customerId, { earn: 1000n });
    expect((await pointsOf(customerId)).map(({ total }) => total)).not.toContain(1000n);
    await request(customerId, { tokens: 7n });
    expect((await pointsOf(customerId)).at(-1)).toMatchObject({ total: 1007n });
  });

  it('are the last ones of each step, without the sections that were not observed in it', async () => {
    const customerId = await registered();
    await observe(customerId, [
      { agoSeconds: 900, usd: 10n },
      { agoSeconds: 600, usd: 7n, section: 'earn' },
      { agoSeconds: 300, usd: 11n },
    ]);
    const points = (await pointsOf(customerId)).map(({ tokens, earn, total }) => [tokens, earn, total]);
    expect(points).toEqual([
      [10n, undefined, undefined],
      [undefined, 7n, undefined],
      [11n, undefined, undefined],
    ]);
    const year = await tokensOf(customerId, 'YEAR');
    expect(year.at(-1)).toBe(11n);
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
    expect(await tokensOf(customerId)).toEqual([2n, 3n]);
    expect(await tokensOf(customerId, 'WEEK')).toContain(1n);
    expect(await tokensOf(customerId, 'DAY', 'BRL')).toEqual([15n]);
    expect(await tokensOf(stranger)).toEqual([]);
  });

  it('are at most 367 in any range', async () => {
    const customerId = await registered();
    const many = Array.from({ length: 5000 }, (_, index) => ({ agoSeconds: index * 7200, usd: 1n }));
    await observe(customerId, many);
    for (const range of ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const) {
      expect((await tokensOf(customerId, range)).length).toBeLessThanOrEqual(367);
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
    expect((await tokensOf(customerId)).at(-1)).toBe(0n); // the newest value is untouched
  });

  it('that are reduced leave the last complete one', async () => {
    const customerId = await registered();
    const sinceHour = (STEP_AT / 1000) % 3600;
    const ago = sinceHour + 2 * 86_400;
    await observe(customerId, [
      { agoSeconds: ago + 1200, usd: 1n },
      { agoSeconds: ago + 900, usd: 2n },
      { agoSeconds: ago + 600, usd: 3n, unread: 1 },
    ]);
    await downSampleWalletValues(test, signal);
    expect(await tokensOf(customerId, 'WEEK')).toEqual([2n]);
    expect(await test.database.walletValue.count({ where: { customerId } })).toBe(1);
  });

  it('lose the totals of the earlier version, which count tokens of positions twice', async () => {
    const customerId = await registered();
    for (const section of ['tokens', 'earn', 'total'] as const)
      await observe(customerId, [{ agoSeconds: 0, usd: 1n, section }]);
    await test.pool.query(
      'ALTER TABLE "WalletValue" DROP "apartUsdMicros", DROP "apartBrlMicros", DROP "apartUnpriced"',
    );
    await test.pool.query(
      readFileSync(path.join(MIGRATIONS, '20261124003500_values_outside_strategies/migration.sql'), 'utf8'),
    );
    expect((await pointsOf(customerId)).at(-1)).toMatchObject({ tokens: 1n, earn: 1n, total: undefined });
  });

  it('go with their wallet', async () => {
    const customerId = await registered();
    await observe(customerId, [{ agoSeconds: 0, usd: 1n }]);
    await test.database.customerWallet.deleteMany({ where: { customerId } });
    expect(await test.database.walletValue.count({ where: { customerId } })).toBe(0);
  });
});
