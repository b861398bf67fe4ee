const path = require('node:path');

const shared = require('../../jest.config.cjs').projects.find(({ displayName }) => displayName === 'unit');

/** Tests of the group, which `main.ts` passes on. Its database, if any, is running already. */
const tests = JSON.parse(process.env.MUTATION_TESTS ?? '[]');

module.exports = {
  ...shared,
  // The cache lies in Stryker's copy of the project, which is removed after the run.
  cacheDirectory: path.join(__dirname, '../../.cache/jest'),
  testMatch: tests.map((test) => `<rootDir>/${test}${test.endsWith('/') ? '**/*.test.ts' : ''}`),
  testPathIgnorePatterns: ['/node_modules/', '\\.http\\.test\\.ts$', '\\.chain\\.test\\.ts$'],
  testTimeout: 30_000,
};
