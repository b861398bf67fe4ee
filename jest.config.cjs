/** The suffix of a test file says what it needs: nothing, a database, local chains, or the running service. */
const needs = { '.db.test.ts': 'database', '.chain.test.ts': 'chains', '.http.test.ts': 'service' };

const project = (displayName, overrides) => ({
  displayName,
  rootDir: __dirname,
  roots: ['<rootDir>/src', '<rootDir>/subgraphs', '<rootDir>/gateway', '<rootDir>/devnet', '<rootDir>/test'],
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest'], '/node_modules/jose/.+\\.js$': ['@swc/jest'] },
  // Published as ES modules alone, which jest cannot load as they are.
  transformIgnorePatterns: ['/node_modules/(?!jose/)'],
  setupFiles: ['reflect-metadata', '<rootDir>/test/setup/seeded-properties.ts'],
  ...overrides,
});

const escaped = (suffix) => suffix.replaceAll('.', '\\.');

module.exports = {
  testTimeout: 30_000,
  // Tests of the running service share it, and tell its emulators what to do: one after the other, on every machine.
  maxWorkers: 1,
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
