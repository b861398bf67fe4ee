import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runAdmin } from '../../src/admin/run-admin';
import { withDeployment } from '../../src/admin/with-deployment';
import { parseApiKey } from '../../src/auth/credentials/api-key';
import { loadConfig } from '../../src/config/config';
import { withSettingsFile } from '../../src/config/environment';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});
afterAll(() => world.drop());

/** The first shell block below a heading of the README. */
function shellBlock(heading: string): readonly string[] {
  const readme = readFileSync(path.join(PROJECT_ROOT, 'README.md'), 'utf8');
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  return /```sh\n([^]*?)```/.exec(section)?.[1]?.trim().split('\n') ?? [];
}

const words = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

/** The settings that the block writes to `.env`, as the shell expands them, for the database of this test. */
function writtenSettings(lines: readonly string[]): NodeJS.ProcessEnv {
  const [, content = ''] = /^cat > \.env <<END\n([^]*?)\nEND$/m.exec(lines.join('\n')) ?? [];
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'readme-')), '.env');
  writeFileSync(file, content.replace('$(openssl rand -hex 32)', 'ab'.repeat(32)));
  return { ...withSettingsFile({}, file), DATABASE_URL: world.url };
}

test('the commands of the README for production run as written, with the settings that it writes once', async () => {
  const lines = shellBlock('Production');
  const environment = writtenSettings(lines);
  expect(Object.keys(environment).sort()).toEqual(['API_KEY_PEPPER', 'DATABASE_URL', 'RPC_URL_BASE']);
  expect(loadConfig(environment)).toMatchObject({ API_KEY_PEPPER: 'ab'.repeat(32), warnings: [] });
  const commands = lines.filter((line) => line.startsWith('npm run admin -- '));
  const outputs: string[] = [];
  for (const command of commands) {
    const outcome = await runAdmin(words(command).slice(4), (work) => withDeployment(environment, work));
    expect(outcome).toMatchObject({ exitCode: 0, errors: '' });
    outputs.push(outcome.output);
  }
  expect(outputs).toHaveLength(2);
  expect(parseApiKey(outputs[1]!.split('\n')[0]!)).toBeDefined();
});
