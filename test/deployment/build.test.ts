import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PROJECT = path.resolve(__dirname, '../..');

/** What a build needs besides the sources. */
const NEEDED = [
  'scripts/setup',
  '.swcrc',
  'package.json',
  'prisma/schema.prisma',
  'src/persistence/client/.schema-hash',
] as const;

/** A project of one module. */
let root: string;
let source: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'afluente-build-'));
  for (const name of NEEDED) cpSync(path.join(PROJECT, name), path.join(root, name), { recursive: true });
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'));
  source = path.join(root, 'src/figure.ts');
  writeFileSync(source, 'export const figure: number = 1;');
  build();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const build = (): void => {
  execFileSync(process.execPath, ['-e', "require('./scripts/setup/build.cjs').build()"], { cwd: root, stdio: 'pipe' });
};

const built = (): string => readFileSync(path.join(root, 'dist/src/figure.js'), 'utf8');

describe('the build', () => {
  it('compiles a source that an older one has replaced', () => {
    writeFileSync(source, 'export const figure: number = 2;');
    utimesSync(source, new Date('2020-01-01'), new Date('2020-01-01'));
    build();
    expect(built()).toContain('figure = 2');
  });

  it('compiles a source that another one with the same time has replaced', () => {
    const other = path.join(root, 'src/other.ts');
    writeFileSync(other, 'export const figure: number = 3;');
    const { atime, mtime } = statSync(source);
    utimesSync(other, atime, mtime);
    renameSync(other, source);
    build();
    expect(built()).toContain('figure = 3');
  });

  it('leaves the output of an unchanged source', () => {
    const output = path.join(root, 'dist/src/figure.js');
    const { ino } = statSync(output);
    build();
    expect(statSync(output).ino).toBe(ino);
  });

  it('compiles everything again with other settings of the compiler', () => {
    const settings = path.join(root, '.swcrc');
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('"commonjs"', '"es6"'));
    build();
    expect(built()).toContain('export const figure = 1');
  });

  it('compiles everything again after a build with other settings has failed', () => {
    const settings = path.join(root, '.swcrc');
    const before = readFileSync(settings, 'utf8');
    const broken = path.join(root, 'src/zoo.ts');
    writeFileSync(settings, before.replace('"commonjs"', '"es6"'));
    writeFileSync(broken, 'export const = ;');
    expect(build).toThrow();
    rmSync(broken);
    writeFileSync(settings, before);
    build();
    expect(built()).toContain('exports');
  });

  it('removes the output of a source that is gone', () => {
    rmSync(source);
    build();
    expect(existsSync(path.join(root, 'dist/src/figure.js'))).toBe(false);
  });
});
