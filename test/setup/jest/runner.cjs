const { default: TestRunner } = require('jest-runner');

const needsService = (test) => test.context.config.displayName?.name === 'service';

/**
 * Runs tests in parallel workers, and then the tests of the running service one after the other in this process: they
 * share the service, steer its emulators, and wait for chains and ramps against the clock.
 */
module.exports = class ServiceLastRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const ofService = tests.filter(needsService);
    const others = tests.filter((test) => !needsService(test));
    if (others.length > 0) await super.runTests(others, watcher, options);
    if (ofService.length > 0) await super.runTests(ofService, watcher, { ...options, serial: true });
  }
};
