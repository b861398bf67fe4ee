import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runAdmin } from '../../src/admin/run-admin';
import { withDeployment } from '../../src/admin/with-deployment';
import { parseApiKey } from '../../src/auth/credentials/api-key';
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

test('the commands of the README for production run as written, one after the other, in one shell', async () => {
  const lines = shellBlock('Production');
  const exported = lines.filter((line) => line.startsWith('export ')).join(' ');
  for (const name of ['DATABASE_URL', 'API_KEY_PEPPER']) expect(exported).toContain(`${name}=`);
  const commands = lines.filter((line) => line.startsWith('npm run admin -- '));
  const outputs: string[] = [];
  for (const command of commands) {
    const environment = { DATABASE_URL: world.url, API_KEY_PEPPER: 'ab'.repeat(32) };
    const outcome = await runAdmin(words(command).slice(4), (work) => withDeployment(environment, work));
    expect(outcome).toMatchObject({ exitCode: 0, errors: '' });
    outputs.push(outcome.output);
  }
  expect(outputs).toHaveLength(2);
  expect(parseApiKey(outputs[1]!.split('\n')[0]!)).toBeDefined();
});
