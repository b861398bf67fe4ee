import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { CATALOG_TABLES } from '../../src/errors/catalog';
import { CODES_TESTED_BELOW_HTTP, STRATEGY_CASES, UNSERVED_CODES } from './strategy-codes';

const SOURCES = ['src', 'subgraphs', 'gateway'];
const DEFINED_IN = path.join('src', 'errors', 'catalog.ts');

/** Files that could throw an error, without tests and generated code. */
const sourceFiles = (): readonly string[] =>
  SOURCES.flatMap((folder) =>
    readdirSync(path.join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.join(folder, file))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/client/')),
  ).filter((file) => file !== DEFINED_IN);

it('every code of the table of strategies has a request that returns it, another test, or a reason why none does', () => {
  const listed = [STRATEGY_CASES, CODES_TESTED_BELOW_HTTP, UNSERVED_CODES].flatMap((codes) => Object.keys(codes));
  expect(listed.toSorted()).toEqual(Object.keys(CATALOG_TABLES.strategies).toSorted());
});

it('every code that no request of the tests returns is expected by the test that is named for it', () => {
  const untested = Object.entries(CODES_TESTED_BELOW_HTTP).filter(
    ([code, file]) => !readFileSync(path.join(PROJECT_ROOT, file), 'utf8').includes(`'${code}'`),
  );
  expect(untested).toEqual([]);
});

it('no code that is listed as unreachable is thrown anywhere: else it needs a request that returns it', () => {
  const texts = sourceFiles().map((file) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8'));
  expect(texts.length).toBeGreaterThan(500);
  const thrown = Object.keys(UNSERVED_CODES).filter((code) => texts.some((text) => text.includes(`'${code}'`)));
  expect(thrown).toEqual([]);
});
