const { default: TestRunner } = require('jest-runner');

const needsService = (test) => test.context.config.displayName?.name === 'service';

/**
 * Runs tests of the running service one after the other, in this process, as they share the service and steer its
 * emulators. All other tests run beside them in workers.
 */
module.exports = class ServiceBesideWorkersRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const ofService = tests.filter(needsService);
    const others = tests.filter((test) => !needsService(test));
    await Promise.all([
      super.runTests(others, watcher, options),
      super.runTests(ofService, watcher, { ...options, serial: true }),
    ]);
  }
};
