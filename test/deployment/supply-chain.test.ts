import { productionOnly } from '../../scripts/supply-chain/production-only';
import { readLockfile } from '../../scripts/supply-chain/lockfile';
import {
  installScriptProblems,
  licenceProblems,
  lockfileProblems,
  npmSettingProblems,
} from '../../scripts/supply-chain/problems';

const integrity = `sha512-${'A'.repeat(86)}==`;
const locked = (packages: Readonly<Record<string, object>>) =>
  readLockfile(JSON.stringify({ lockfileVersion: 3, packages }));
const one = (fields: object) =>
  locked({ 'node_modules/some': { version: '1.0.0', integrity, license: 'MIT', ...fields } });

describe('the lockfile', () => {
  it('may name the npm registry, or leave the registry to npm', () => {
    expect(lockfileProblems(one({}))).toEqual([]);
    expect(lockfileProblems(one({ resolved: 'https://registry.npmjs.org/some/-/some-1.0.0.tgz' }))).toEqual([]);
  });

  it.each([
    [
      'another registry',
      { resolved: 'https://packages.example/some-1.0.0.tgz' },
      'comes from https://packages.example',
    ],
    ['plain HTTP', { resolved: 'http://registry.npmjs.org/some/-/some-1.0.0.tgz' }, 'comes from http:'],
    ['a repository', { resolved: 'git+ssh://git@github.com/some/some.git#abc' }, 'comes from git+ssh'],
    ['no hash', { integrity: undefined }, 'has no integrity'],
    ['a weak hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no integrity'],
    ['a folder of this machine', { link: true }, 'is a link'],
    ['a repository of a dependency', { dependencies: { other: 'github:some/other' } }, 'requires other from github:'],
    [
      'an archive of a dependency',
      { optionalDependencies: { other: 'https://a.example/b.tgz' } },
      'requires other from',
    ],
    ['a file of a dependency', { dependencies: { other: 'file:../other' } }, 'requires other from file:'],
  ])('is refused with a package from %s', (_, fields, problem) => {
    const problems = lockfileProblems(one(fields));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('may lack the hash of listed packages for other platforms, which only development has', () => {
    const fields = { integrity: undefined, dev: true, optional: true };
    expect(lockfileProblems(one(fields), ['some'])).toEqual([]);
    for (const other of [{ dev: false }, { optional: false }, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }])
      expect(lockfileProblems(one({ ...fields, ...other }), ['some'])).toHaveLength(1);
    expect(lockfileProblems(one(fields), ['another'])).toHaveLength(1);
  });

  it('is refused when the project itself requires a repository, also for development', () => {
    const project = { dependencies: { a: '^1.0.0', b: 'npm:@scope/c@1.0.0' }, devDependencies: { d: 'some/d' } };
    expect(lockfileProblems(locked({ '': project }))).toEqual(['package.json requires d from some/d']);
  });
});

describe('licences of production', () => {
  const allowed = new Set(['MIT', 'ISC']);
  const problemsOf = (fields: object, exceptions = {}) => licenceProblems(one(fields), { allowed, exceptions });

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'])('accepts %s', (license) => {
    expect(problemsOf({ license })).toEqual([]);
  });

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', '(MIT OR (ISC AND GPL-3.0-only))', undefined])(
    'refuses %s',
    (license) => {
      expect(problemsOf({ license })).toEqual([expect.stringContaining('node_modules/some has the licence')]);
    },
  );

  it('leaves packages of development out', () => {
    expect(problemsOf({ license: 'GPL-3.0-only', dev: true })).toEqual([]);
  });

  it('takes an exception for the examined licence alone, and refuses one without a package', () => {
    const exceptions = { some: { licence: 'EPL-2.0', reason: 'examined' } };
    expect(problemsOf({ license: 'EPL-2.0' }, exceptions)).toEqual([]);
    expect(problemsOf({ license: 'GPL-3.0-only' }, exceptions)).toHaveLength(1);
    const other = { other: { licence: 'EPL-2.0', reason: 'examined' } };
    expect(problemsOf({}, other)).toEqual(['other is on the list without need: remove it']);
  });
});

describe('install scripts', () => {
  it('are refused until they were examined, and the list names no others', () => {
    const packages = one({ hasInstallScript: true, dev: true });
    expect(installScriptProblems(packages, { some: 'works without' })).toEqual([]);
    expect(installScriptProblems(packages, {})).toEqual([expect.stringContaining('has an install script')]);
    expect(installScriptProblems(one({}), { some: 'works without' })).toEqual([
      expect.stringContaining('without need'),
    ]);
  });

  it('must be switched off in .npmrc', () => {
    expect(npmSettingProblems('save-exact=true\nignore-scripts=true\n')).toEqual([]);
    expect(npmSettingProblems('# ignore-scripts=true\nignore-scripts=false\n')).toHaveLength(1);
  });
});

it('the list of packages has those of production, also when development requires them as well', () => {
  const packages = { '': { devDependencies: { c: '1' } }, 'node_modules/a': {}, 'node_modules/c': { dev: true } };
  const manifest = { dependencies: { a: '1' }, devDependencies: { c: '1' }, overrides: { b: '2' } };
  const files = productionOnly(JSON.stringify(manifest), JSON.stringify({ lockfileVersion: 3, packages }));
  expect(JSON.parse(files['package.json'])).toMatchObject({ dependencies: { a: '1' }, overrides: { b: '2' } });
  expect(JSON.parse(files['package.json'])).not.toHaveProperty('devDependencies');
  const locked = JSON.parse(files['package-lock.json']);
  expect(Object.keys(locked.packages)).toEqual(['', 'node_modules/a']);
  expect(locked.packages['']).toEqual({ dev: false });
});
