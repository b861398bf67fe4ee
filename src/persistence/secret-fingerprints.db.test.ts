import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { checkSecretFingerprints, type DeploymentSecrets } from './secret-fingerprints';

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

const key = (version: number, byte: string) => ({ version, key: Buffer.from(byte.repeat(32), 'hex') });
const secrets = {
  API_KEY_PEPPER: 'ab'.repeat(32),
  PERSONAL_DATA_KEYS: [key(1, 'cd')],
  BLIND_INDEX_KEY: 'ef'.repeat(32),
  ORDER_WALLET_SECRET: '0a'.repeat(32),
};
const check = (changes: Partial<DeploymentSecrets> = {}) => checkSecretFingerprints(test, { ...secrets, ...changes });

it('accepts the same secrets at every start, in any case of letters, from several processes at once', async () => {
  expect((await Promise.all([check(), check(), check()])).flat()).toEqual([]);
  expect(await check({ API_KEY_PEPPER: 'AB'.repeat(32) })).toEqual([]);
});

it('names each secret that differs from the one the database was used with, and stores nothing', async () => {
  await check();
  const wrong = {
    API_KEY_PEPPER: '11'.repeat(32),
    PERSONAL_DATA_KEYS: [key(1, '22')],
    BLIND_INDEX_KEY: '33'.repeat(32),
    ORDER_WALLET_SECRET: '44'.repeat(32),
  };
  expect(await check(wrong)).toEqual([
    expect.stringMatching(/^API_KEY_PEPPER differs .* No existing API key would be accepted/),
    expect.stringMatching(/^PERSONAL_DATA_KEYS \(version 1\) differs .* personal data would be unreadable/),
    expect.stringMatching(/^BLIND_INDEX_KEY differs .* No stored person would be found/),
    expect.stringMatching(/^ORDER_WALLET_SECRET differs .* would be lost/),
  ]);
  expect(await check()).toEqual([]);
});

it('refuses one of two first starts at once with different secrets', async () => {
  const outcomes = await Promise.all([check(), check({ API_KEY_PEPPER: '11'.repeat(32) })]);
  expect(outcomes.map(({ length }) => length).sort()).toEqual([0, 1]);
});

it('accepts a new version before the former one, and refuses it without the former one', async () => {
  await check();
  expect(await check({ PERSONAL_DATA_KEYS: [key(2, '44')] })).toEqual([
    expect.stringMatching(/^PERSONAL_DATA_KEYS lacks version 1/),
  ]);
  expect(await check({ PERSONAL_DATA_KEYS: [key(2, '44'), key(1, 'cd')] })).toEqual([]);
  expect(await check()).toEqual([expect.stringMatching(/^PERSONAL_DATA_KEYS lacks version 2/)]);
});

it('lets a process without keys for personal data start', async () => {
  await check();
  expect(await check({ PERSONAL_DATA_KEYS: undefined, BLIND_INDEX_KEY: undefined })).toEqual([]);
});
