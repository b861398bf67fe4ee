const { default: TestRunner } = require('jest-runner');

const needs = (need) => (test) => test.context.config.displayName?.name === need;

/** Begun last, the longest files would keep one worker busy while the others have nothing left to do. */
const isLong = (test) => /\/(?:fuzz|killed|lost-database)\.test\.ts$/.test(test.path);

/**
 * Runs the tests of the running service one after the other, since they share the service and steer its emulators. They
 * mostly wait; beside them the other tests keep two cores busy, the longest and those of the local chains first.
 */
module.exports = class TwoLanesRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context);
    this.serviceRunner = new TestRunner({ ...globalConfig, maxWorkers: 1 }, context);
  }

  on(eventName, listener) {
    const stops = [this.serviceRunner.on(eventName, listener), super.on(eventName, listener)];
    return () => stops.forEach((stop) => stop());
  }

  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const ofService = tests.filter(needs('service'));
    const ofChains = tests.filter(needs('chains'));
    const others = tests.filter((test) => !ofService.includes(test) && !ofChains.includes(test));
    const beside = [...others.filter(isLong), ...ofChains, ...others.filter((test) => !isLong(test))];
    await Promise.all([
      ofService.length > 0 && this.serviceRunner.runTests(ofService, watcher, options),
      beside.length > 0 && super.runTests(beside, watcher, options),
    ]);
  }
};
