const { availableParallelism } = require('node:os');
const path = require('node:path');

// Tests, and the processes that they start, read no settings of a deployment. Workers inherit the environment.
process.env.NODE_ENV = 'test';
process.env.AFLUENTE_ENV_FILE = '';

/** The suffix of a test file says what it needs of the run: nothing, a database, local chains, or the running service. */
const needs = { '.db.test.ts': 'database', '.chain.test.ts': 'chains', '.http.test.ts': 'service' };

const project = (displayName, overrides) => ({
  displayName,
  rootDir: __dirname,
  // Not in the directory for temporary files, which is another one in each run.
  cacheDirectory: path.join(__dirname, 'node_modules/.cache/jest'),
  roots: ['<rootDir>/src', '<rootDir>/subgraphs', '<rootDir>/gateway', '<rootDir>/devnet', '<rootDir>/test'],
  testEnvironment: '<rootDir>/test/setup/jest/environment.cjs',
  runner: '<rootDir>/test/setup/jest/runner.cjs',
  runtime: require.resolve('./test/setup/jest/runtime.cjs'),
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  setupFiles: ['reflect-metadata', '<rootDir>/test/setup/seeded-properties.ts'],
  ...overrides,
});

const escaped = (suffix) => suffix.replaceAll('.', '\\.');

module.exports = {
  // Ends a test that hangs. No test measures speed by it: a machine that other programs keep busy may need minutes.
  testTimeout: 300_000,
  // One more than there are cores, since tests wait for databases and chains. Each worker that runs chain tests starts a
  // universe of local chains of its own, of some hundred megabytes.
  reporters: ['default', '<rootDir>/test/setup/jest/described-responses-reporter.cjs'],
  maxWorkers: Math.min(4, Math.max(2, availableParallelism()) + 1),
  projects: [
    project('unit', {
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...Object.keys(needs).map((suffix) => `${escaped(suffix)}$`)],
    }),
    ...Object.entries(needs).map(([suffix, need]) =>
      project(need, {
        testMatch: [`**/*${suffix}`],
        globalSetup: `<rootDir>/test/setup/${need}.ts`,
        globalTeardown: `<rootDir>/test/setup/${need}-teardown.ts`,
      }),
    ),
  ],
};
