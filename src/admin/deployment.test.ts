import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findDeployment } from './deployment';
import { withDeployment } from './with-deployment';

const pepper = 'ab'.repeat(32);
const embedded = { DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/embedded', API_KEY_PEPPER: pepper };

function directoryWith(content: string | undefined): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'admin-'));
  if (content !== undefined) writeFileSync(path.join(directory, 'environment.json'), content);
  return directory;
}

test('administers the deployment of the environment, even when an embedded service runs here', () => {
  const environment = {
    DATABASE_URL: 'postgresql://db.example/afluente',
    API_KEY_PEPPER: 'cd'.repeat(32),
    AFLUENTE_DATA_DIR: directoryWith(JSON.stringify(embedded)),
  };
  expect(findDeployment(environment)).toMatchObject({
    DATABASE_URL: environment.DATABASE_URL,
    API_KEY_PEPPER: environment.API_KEY_PEPPER,
  });
});

test.each([undefined, ''])('without DATABASE_URL (%j) administers the embedded deployment', (DATABASE_URL) => {
  const AFLUENTE_DATA_DIR = directoryWith(JSON.stringify({ ...embedded, CHAINS_FILE: '/nowhere' }));
  expect(findDeployment({ DATABASE_URL, AFLUENTE_DATA_DIR })).toMatchObject(embedded);
});

test.each<[string, string | undefined]>([
  ['there is none', undefined],
  ['its file is damaged', '{'],
  ['its file is something else', '[1]'],
])('reports that there is no deployment when %s', (_, content) => {
  expect(() => findDeployment({ AFLUENTE_DATA_DIR: directoryWith(content) })).toThrow(/DATABASE_URL is not set/);
});

test('names every invalid variable', () => {
  const environment = { DATABASE_URL: 'mysql://db.example/afluente', API_KEY_PEPPER: 'short' };
  expect(() => findDeployment(environment)).toThrow(/DATABASE_URL[^]*API_KEY_PEPPER/);
});

test('an embedded database that does not respond is named as such, and no variable that is not set', async () => {
  const AFLUENTE_DATA_DIR = directoryWith(JSON.stringify(embedded));
  await expect(withDeployment({ AFLUENTE_DATA_DIR }, () => Promise.resolve())).rejects.toThrow(
    /^The embedded database at 127\.0\.0\.1:1\/embedded cannot be used: .*ECONNREFUSED.* npm start\.$/,
  );
});
