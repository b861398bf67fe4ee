import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from './config';
import { environmentWithoutFile, readEnvironment, withSettingsFile } from './environment';

const folder = mkdtempSync(path.join(tmpdir(), 'settings-'));
const file = path.join(folder, '.env');
writeFileSync(file, '# a deployment\nDATABASE_URL=postgres://db.example/one\nLOG_LEVEL="warn"\nPORT=4100\n');

test('settings come from the file, unless the process has them', () => {
  expect(withSettingsFile({ PORT: '5000', HOST: '::1' }, file)).toEqual({
    DATABASE_URL: 'postgres://db.example/one',
    LOG_LEVEL: 'warn',
    PORT: '5000',
    HOST: '::1',
  });
});

test('an empty variable of the process hides the one of the file', () => {
  expect(withSettingsFile({ LOG_LEVEL: '' }, file)).toMatchObject({ LOG_LEVEL: '', PORT: '4100' });
});

test('a file without DATABASE_URL, such as one for Compose alone, does not change the embedded mode', () => {
  const secrets = path.join(folder, '.env.compose');
  writeFileSync(secrets, 'API_KEY_PEPPER=abc\n');
  expect(withSettingsFile({ PORT: '5000' }, secrets)).toEqual({ PORT: '5000' });
  expect(withSettingsFile({ DATABASE_URL: '' }, file)).toEqual({ DATABASE_URL: '' });
  const own = { DATABASE_URL: 'postgres://db.example/two' };
  expect(withSettingsFile(own, secrets)).toEqual({ ...own, API_KEY_PEPPER: 'abc' });
});

test('a file without DATABASE_URL is reported in one sentence, unless the process has one or hides the one of the file', () => {
  const secrets = path.join(folder, '.env.secrets');
  writeFileSync(secrets, 'API_KEY_PEPPER=abc\n');
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  withSettingsFile({ DATABASE_URL: 'postgres://db.example/two' }, secrets, warn);
  withSettingsFile({ DATABASE_URL: '' }, file, warn);
  expect(warnings).toEqual([]);
  withSettingsFile({ PORT: '5000' }, secrets, warn);
  expect(warnings).toEqual([`The file ${secrets} has no DATABASE_URL and is ignored: the embedded mode starts.`]);
});

test('without a file the settings are those of the process', () => {
  const own = { PORT: '5000' };
  expect(withSettingsFile(own, path.join(folder, 'absent'))).toEqual(own);
  expect(withSettingsFile(own, '')).toEqual(own);
});

test.each<[string, string, NodeJS.ProcessEnv]>([
  ['is a folder', folder, {}],
  ['is absent, but named', path.join(folder, 'absent'), { AFLUENTE_ENV_FILE: path.join(folder, 'absent') }],
])('a file that %s is an error in words, and is ignored by a process with DATABASE_URL', (_, unreadable, own) => {
  const read = () => withSettingsFile(own, unreadable);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`The file ${unreadable} cannot be read: E`);
  const warnings: string[] = [];
  const configured = { ...own, DATABASE_URL: 'postgres://db.example/two' };
  expect(withSettingsFile(configured, unreadable, (sentence) => void warnings.push(sentence))).toEqual(configured);
  expect(warnings).toEqual([expect.stringContaining('It is ignored')]);
});

test('this process and those that it starts read no file of a deployment', () => {
  expect(readEnvironment()).toBe(process.env);
  expect(process.env['AFLUENTE_ENV_FILE']).toBe('');
  expect(environmentWithoutFile()).toEqual({ ...process.env, AFLUENTE_ENV_FILE: '' });
});
