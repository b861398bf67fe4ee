import { loadConfig } from '../config/config';
import { type ProviderDeps, registerProviders } from './providers';
import { openRamps } from './ramps';

const REQUIRED = { DATABASE_URL: 'postgres://localhost/none', API_KEY_PEPPER: 'ab'.repeat(32) };
const SECONDARY = {
  SECONDARY_RAMP_API_KEY: 'key',
  PERSONAL_DATA_KEYS: `1:${'cd'.repeat(32)}`,
  BLIND_INDEX_KEY: 'ef'.repeat(32),
};

async function register(settings: Readonly<Record<string, string>> = {}) {
  const config = loadConfig({ ...REQUIRED, ...settings });
  const ramps = openRamps(config);
  const logged: unknown[] = [];
  const log = { info: (fields: unknown) => void logged.push(fields) };
  const registered = registerProviders({ config, ramps, log } as unknown as ProviderDeps);
  await Promise.all([registered.close(), ramps.close()]);
  const ids = registered.providers.map(({ id }) => id);
  return { ids, unconfigured: [...registered.unconfigured].sort(), logged };
}

test('providers without a key are not registered, and logged with the variable that they lack', async () => {
  const { ids, logged } = await register({ LIFI_API_KEY: 'key' });
  expect(ids).toEqual(expect.arrayContaining(['afluente', 'cctp', 'lifi', 'primary']));
  expect(ids).not.toContain('across');
  expect(logged).toEqual([{ providers: expect.objectContaining({ across: 'ACROSS_API_KEY is not set' }) }]);
});

test('the providers of ramps without keys are marked, so that the health report leaves them out', async () => {
  const ofPrimary = ['primary', 'primary-swap'];
  expect((await register()).unconfigured).toEqual([...ofPrimary, 'secondary', 'secondary-swap']);
  expect((await register(SECONDARY)).unconfigured).toEqual(ofPrimary);
});
