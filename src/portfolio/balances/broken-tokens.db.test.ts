import { newCustomer } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { removeExpired } from '../../persistence/retention/remove-expired';
import { RETENTION } from '../../../test/setup/retention-settings';
import { createBrokenTokens } from './broken-tokens';

const [HOG, MEGABYTE] = ['0x000000000000000000000000000000000000000A', '0x000000000000000000000000000000000000000b'];

let test: TestDatabase;
const warnings: unknown[] = [];
const log = { warn: (...args: unknown[]) => void warnings.push(args) };
beforeEach(async () => {
  test = await createTestDatabase();
  warnings.length = 0;
});
afterEach(() => test.drop());

const customerId = newCustomer();
const open = (cacheMs = 0) => {
  const broken = createBrokenTokens({ pool: test.pool, log, cacheMs });
  return {
    quarantined: (chainId: number) => broken.quarantined(chainId, customerId),
    strike: (chainId: number, tokens: readonly string[]) => broken.strike({ customerId, chainId, tokens }),
  };
};
/** A further strike counts from now on. */
const passMinutes = () => test.pool.query(`UPDATE "BrokenToken" SET "updatedAt" = "updatedAt" - interval '2 minutes'`);
const age = (days: number) =>
  test.pool.query(
    `UPDATE "BrokenToken" SET "updatedAt" = "updatedAt" - make_interval(days => $1),
                          "quarantinedUntil" = "quarantinedUntil" - make_interval(days => $1)`,
    [days],
  );

describe('tokens that make calls fail', () => {
  it('are in quarantine from the second strike on, on their chain alone, for all replicas', async () => {
    const [one, other] = [open(), open()];
    await one.strike(1, [HOG, MEGABYTE]);
    expect(await one.quarantined(1)).toEqual(new Set());
    await passMinutes();
    await other.strike(1, [HOG]);
    expect(await one.quarantined(1)).toEqual(new Set([HOG]));
    expect(await other.quarantined(10)).toEqual(new Set());
    expect(warnings).toHaveLength(3);
  });

  it('are read again after an hour, and later after each further strike, up to 16 hours', async () => {
    const broken = open();
    await broken.strike(1, [HOG]);
    const hours: number[] = [];
    for (let strike = 0; strike < 7; strike++) {
      await passMinutes();
      await broken.strike(1, [HOG]);
      const { quarantinedUntil } = await test.database.brokenToken.findFirstOrThrow();
      hours.push(Math.round((quarantinedUntil!.getTime() - Date.now()) / 3_600_000));
      await test.pool.query(`UPDATE "BrokenToken" SET "quarantinedUntil" = now() - interval '1 second'`);
      expect(await broken.quarantined(1)).toEqual(new Set());
    }
    expect(hours).toEqual([1, 2, 4, 8, 16, 16, 16]);
  });

  it('start anew when the strikes are more than two days apart', async () => {
    const broken = open();
    await broken.strike(1, [HOG]);
    await age(3);
    await broken.strike(1, [HOG]);
    expect(await broken.quarantined(1)).toEqual(new Set());
    await passMinutes();
    await broken.strike(1, [HOG]);
    expect(await broken.quarantined(1)).toEqual(new Set([HOG]));
  });

  it('are forgotten some days after the last strike', async () => {
    await open().strike(1, [HOG]);
    await age(4);
    await open().strike(1, [MEGABYTE]);
    await removeExpired({ pool: test.pool, settings: RETENTION }, new AbortController().signal);
    expect(await test.database.brokenToken.findMany({ select: { token: true } })).toEqual([{ token: MEGABYTE }]);
  });

  it('are at most 10,000 on a chain: those in no quarantine with the oldest strike make room', async () => {
    await test.pool.query(
      `INSERT INTO "BrokenToken" ("chainId", token, "updatedAt", "quarantinedUntil")
       SELECT 1, 'token ' || number, now() - make_interval(mins => 10001 - number),
              CASE WHEN number <= 3 THEN now() + interval '1 hour' END FROM generate_series(1, 10000) AS number`,
    );
    await open().strike(1, [HOG, MEGABYTE]);
    expect(await test.database.brokenToken.count({ where: { chainId: 1 } })).toBe(10_000);
    const kept = ['token 1', 'token 3', 'token 4', 'token 5', 'token 6', HOG, MEGABYTE];
    const found = await test.database.brokenToken.findMany({
      where: { token: { in: kept } },
      orderBy: { updatedAt: 'asc' },
    });
    expect(found.map(({ token }) => token)).toEqual([
      'token 1',
      'token 3',
      'token 6',
      ...found.slice(3).map(({ token }) => token),
    ]);
    expect(new Set(found.slice(3).map(({ token }) => token))).toEqual(new Set([HOG, MEGABYTE]));
    await passMinutes();
    await open().strike(1, [HOG]);
    expect(await open().quarantined(1)).toEqual(new Set(['token 1', 'token 2', 'token 3', HOG]));
  });

  it('of one customer are at most 500 an hour; further ones are in quarantine for that customer alone', async () => {
    const broken = createBrokenTokens({ pool: test.pool, log });
    const tokens = Array.from({ length: 600 }, (_, index) => `token ${index}`);
    await broken.strike({ customerId, chainId: 1, tokens });
    await broken.strike({ customerId, chainId: 2, tokens });
    expect(await test.database.brokenToken.count()).toBe(500);
    expect(await broken.quarantined(1, customerId)).toEqual(new Set(tokens.slice(500)));
    expect(await broken.quarantined(2, customerId)).toEqual(new Set(tokens));
    const other = newCustomer();
    expect(await broken.quarantined(2, other)).toEqual(new Set());
    await broken.strike({ customerId: other, chainId: 2, tokens: [HOG] });
    expect(await test.database.brokenToken.count({ where: { chainId: 2 } })).toBe(1);
  });

  it('get one strike from concurrent requests, in whatever order these name them, and none in quarantine', async () => {
    const orders = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? [HOG, MEGABYTE] : [MEGABYTE, HOG]));
    const strikes = async () =>
      (await test.database.brokenToken.findMany({ select: { strikes: true } })).map((row) => row.strikes);
    const strikeAtOnce = () => Promise.all(orders.map((tokens) => open().strike(1, tokens)));
    await strikeAtOnce();
    expect(await strikes()).toEqual([1, 1]);
    await passMinutes();
    await strikeAtOnce();
    await passMinutes();
    await strikeAtOnce();
    expect(await strikes()).toEqual([2, 2]);
  });

  it('are none while the database is unavailable, which fails no request', async () => {
    const pool = { query: () => Promise.reject(new Error('no database')) };
    const broken = createBrokenTokens({ pool: pool as never, log });
    await broken.strike({ customerId, chainId: 1, tokens: [HOG] });
    expect(await broken.quarantined(1, customerId)).toEqual(new Set());
    expect(warnings).toHaveLength(2);
  });
});
