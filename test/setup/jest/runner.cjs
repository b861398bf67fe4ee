const { default: TestRunner } = require('jest-runner');

/** Begun last, the longest file would keep one worker busy while the others have nothing left to do. */
const isLongest = (test) => test.path.endsWith('test/federation/fuzz.test.ts');

const needsService = (test) => test.context.config.displayName?.name === 'service';

/**
 * Runs the tests of the running service one after the other, in a worker of their own beside the workers of all other
 * tests: they share the service, steer its emulators, and mostly wait for chains and ramps.
 */
module.exports = class ServiceApartRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context);
    this.serviceRunner = new TestRunner({ ...globalConfig, maxWorkers: 1 }, context);
  }

  on(eventName, listener) {
    const stops = [super.on(eventName, listener), this.serviceRunner.on(eventName, listener)];
    return () => stops.forEach((stop) => stop());
  }

  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const ofService = tests.filter(needsService);
    const others = tests.filter((test) => !needsService(test)).sort((a, b) => isLongest(b) - isLongest(a));
    await Promise.all([
      others.length > 0 && super.runTests(others, watcher, options),
      ofService.length > 0 && this.serviceRunner.runTests(ofService, watcher, options),
    ]);
  }
};
