import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVICE_FLAGS } from '../../scripts/service-flags';
import { PROJECT_ROOT } from '../../src/config/project-root';

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const FLAGS = SERVICE_FLAGS.join(' ');

it.each(['README.md', 'docs/operations.md'])(
  '%s starts the built service with the flags of Node that it needs',
  (file) => {
    const commands = read(file).match(/^node .*dist\/src\/main\.js/gm);
    expect(commands).toEqual([`node ${FLAGS} dist/src/main.js`]);
  },
);

it('the image starts the service with these flags', () => {
  const [, command] = /^CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
  expect(JSON.parse(command ?? '')).toEqual(['node', ...SERVICE_FLAGS, 'dist/src/main.js']);
});

it('npm start and the benchmarks have these flags', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const commands = Object.entries(scripts).filter(([name]) => name === 'start' || name.startsWith('bench:'));
  expect(commands.length).toBeGreaterThan(1);
  for (const [, command] of commands) expect(command).toMatch(new RegExp(`^node ${FLAGS} scripts/run\\.cjs `));
});
