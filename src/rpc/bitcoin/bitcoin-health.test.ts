import { readBitcoinHealth } from './bitcoin-health';

const now = (): number => Math.floor(Date.now() / 1000);
const healthWith = (response: () => unknown) => readBitcoinHealth({ get: () => Promise.resolve().then(response) });

test.each([
  ['ok', 3600],
  ['degraded', 7300],
])('a server is %s when its latest block is %i s old', async (status, age) => {
  const older = { height: 899_999, timestamp: now() - 100_000 };
  const health = await healthWith(() => [{ height: 900_000, timestamp: now() - age, tx_count: 5 }, older]);
  expect(health).toMatchObject({ status, blockNumber: 900_000 });
  expect(health.lagSeconds).toBeGreaterThanOrEqual(age);
});

test('a block with a time in the future has no lag', async () => {
  const health = await healthWith(() => [{ height: 1, timestamp: now() + 600 }]);
  expect(health).toEqual({ status: 'ok', blockNumber: 1, lagSeconds: 0 });
});

test.each([
  ['without a block', () => []],
  ['with something else', () => 'Service Unavailable'],
  [
    'with an error',
    () => {
      throw new TypeError('fetch failed');
    },
  ],
])('a server that responds %s is down, not an error', async (_, response) => {
  expect(await healthWith(response)).toEqual({ status: 'down', blockNumber: undefined, lagSeconds: undefined });
});
