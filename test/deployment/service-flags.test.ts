import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVICE_FLAGS } from '../../scripts/service-flags';
import { PROJECT_ROOT } from '../../src/config/project-root';

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const FLAGS = SERVICE_FLAGS.join(' ');
const PAGES = readdirSync(path.join(PROJECT_ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => path.join('docs', file));

it('all pages start the built service with the flags of Node that it needs', () => {
  const commandsOf = (file: string) => read(file).match(/\bnode\b[^\n]*dist\/src\/main\.js/g) ?? [];
  const commands = ['README.md', 'CONTRIBUTING.md', ...PAGES].flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) expect(command).toBe(`node ${FLAGS} dist/src/main.js`);
});

it('the image starts the service with these flags', () => {
  const [, command] = /^CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
  expect(JSON.parse(command ?? '')).toEqual(['node', ...SERVICE_FLAGS, 'dist/src/main.js']);
  expect(read('compose.yaml')).not.toContain('main.js');
});

it('npm start and the benchmarks have these flags', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const names = Object.keys(scripts).filter((name) => name === 'start' || name.startsWith('bench:'));
  expect(names).toEqual(expect.arrayContaining(['start', 'bench:gateway']));
  for (const name of names) expect(scripts[name]).toMatch(new RegExp(`^node ${FLAGS} scripts/run\\.cjs `));
});
