import pino from 'pino';
import { until } from '../../test/resilience/until';
import { REFUSED } from '../../test/setup/refused-statements';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { loadConfig } from '../config/config';
import { startService } from './service';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const workers = async (): Promise<number> => {
  const { rows } = await test.pool.query<{ readonly count: number }>('SELECT count(*)::int AS count FROM "Worker"');
  return rows[0]?.count ?? -1;
};

it('a worker is present until it stops, so that others do not count on it afterwards', async () => {
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
  const settings = { ROLE: 'worker', PORT: '0', HOST: '127.0.0.1', API_KEY_PEPPER: 'ab'.repeat(32) };
  const service = await startService(loadConfig({ ...settings, DATABASE_URL: test.url }), log);
  await until('the worker is present', async () => (await workers()) === 1);
  await service.stop();
  expect(await workers()).toBe(0);
  expect(warnings.filter((line) => REFUSED.test(line))).toEqual([]);
});
