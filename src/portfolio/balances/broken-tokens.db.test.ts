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

const open = (cacheMs = 0) => createBrokenTokens({ pool: test.pool, log, cacheMs });
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

  it('are at most 10,000 on a chain, and stored ones still count', async () => {
    await test.pool.query(
      `INSERT INTO "BrokenToken" ("chainId", token) SELECT 1, 'token ' || number FROM generate_series(1, 10000) AS number`,
    );
    await open().strike(1, [HOG, 'token 5']);
    await open().strike(2, [HOG]);
    expect(await test.database.brokenToken.count({ where: { chainId: 1 } })).toBe(10_000);
    expect(await open().quarantined(1)).toEqual(new Set(['token 5']));
    expect(await test.database.brokenToken.count({ where: { chainId: 2 } })).toBe(1);
  });

  it('lose no strike to concurrent requests, in whatever order these name them', async () => {
    const orders = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? [HOG, MEGABYTE] : [MEGABYTE, HOG]));
    await Promise.all(orders.map((tokens) => open().strike(1, tokens)));
    const rows = await test.database.brokenToken.findMany({ select: { strikes: true } });
    expect(rows).toEqual([{ strikes: 10 }, { strikes: 10 }]);
  });

  it('are none while the database is unavailable, which fails no request', async () => {
    const pool = { query: () => Promise.reject(new Error('no database')) };
    const broken = createBrokenTokens({ pool: pool as never, log });
    await broken.strike(1, [HOG]);
    expect(await broken.quarantined(1)).toEqual(new Set());
    expect(warnings).toHaveLength(2);
  });
});
