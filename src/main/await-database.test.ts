import type { DatabaseProbe } from '../persistence/probe-database';
import { awaitDatabase } from './await-database';

const url = 'postgresql://user:hunter2@db.internal:5432/service';
const log = { warn: jest.fn() };
beforeEach(() => log.warn.mockClear());

const start = (probes: readonly DatabaseProbe[], deadlineMs = 60_000): Promise<void> => {
  const left = [...probes];
  const probe = () => Promise.resolve(left.length > 1 ? left.shift()! : left[0]!);
  return awaitDatabase({ url, log, probe, deadlineMs });
};
const unreachable = { outcome: 'unreachable', reason: 'connect ECONNREFUSED' } as const;

test('waits for a database that starts later, and says so once', async () => {
  await start([unreachable, unreachable, { outcome: 'usable' }]);
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(JSON.stringify(log.warn.mock.calls)).not.toContain('hunter2');
});

test.each([
  [unreachable, 'does not respond. Start PostgreSQL, or correct host and port in DATABASE_URL. (connect ECONNREFUSED)'],
  [{ outcome: 'refused', reason: 'password authentication failed' } as const, 'refuses the login'],
  [{ outcome: 'shared', reason: 'different servers' } as const, 'pooler in transaction or statement mode'],
])('ends with a sentence that names DATABASE_URL and the place, without the password: %j', async (probe, sentence) => {
  const failure = await start([probe], 0).catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ name: 'StartupError' });
  const { message } = failure as Error;
  for (const part of ['db.internal:5432/service', 'DATABASE_URL', sentence]) expect(message).toContain(part);
  expect(message).not.toContain('hunter2');
});
