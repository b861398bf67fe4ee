import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { environmentWithoutFile } from '../../src/config/environment';
import { PROJECT_ROOT } from '../../src/config/project-root';
import type { MutationGroup } from './groups';

const STRYKER = path.join(PROJECT_ROOT, 'node_modules/@stryker-mutator/core/bin/stryker.js');
/** Mutants that are tested at the same time. */
const CONCURRENCY = 2;

/** A change of the code that the tests of its group did or did not notice. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  readonly replacement: string;
  readonly status: string;
}

const reportSchema = z.object({
  files: z.record(
    z.string(),
    z.object({
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          replacement: z.string().optional(),
          status: z.string(),
          location: z.object({ start: z.object({ line: z.number() }) }),
        }),
      ),
    }),
  ),
});

/**
 * Tests each mutant of a group with Stryker, which works on a copy of the project. `directory`: for its temporary files.
 * Resolves to `undefined` when the tests fail without a mutant.
 */
export async function runStryker(group: MutationGroup, directory: string): Promise<readonly Mutant[] | undefined> {
  mkdirSync(directory, { recursive: true });
  const [config, report] = [path.join(directory, 'stryker.json'), path.join(directory, 'report.json')];
  writeFileSync(config, JSON.stringify(settingsOf(group, { directory, report })));
  const child = spawn(process.execPath, [STRYKER, 'run', config], {
    cwd: PROJECT_ROOT,
    stdio: 'inherit',
    env: {
      ...environmentWithoutFile(),
      NODE_ENV: 'test',
      AFLUENTE_TEST_BUILD: '',
      MUTATION_TESTS: JSON.stringify(group.tests),
    },
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? readReport(report) : undefined;
}

const settingsOf = (
  { files }: MutationGroup,
  { directory, report }: { readonly directory: string; readonly report: string },
) => ({
  mutate: [...files, '!**/*.test.ts'],
  ignorePatterns: ['/dist', '/.local', '/docs', '/.ci', '/.github', '*.log'],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { projectType: 'custom', configFile: 'scripts/mutation/jest.config.cjs', enableFindRelatedTests: false },
  // The environment of the tests is that of their process, which Stryker's analysis of coverage cannot observe.
  coverageAnalysis: 'off',
  concurrency: CONCURRENCY,
  // Beyond the usual time of the tests. A timeout counts as noticed: on a busy machine a short one would count falsely.
  timeoutMS: 30_000,
  allowConsoleColors: false,
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: report },
  tempDirName: path.join(directory, 'sandbox'),
  cleanTempDir: 'always',
});

function readReport(file: string): readonly Mutant[] {
  const { files } = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return Object.entries(files).flatMap(([name, { mutants }]) =>
    mutants.map(({ mutatorName: mutator, replacement = '', status, location }) => ({
      file: name,
      line: location.start.line,
      mutator,
      replacement,
      status,
    })),
  );
}
