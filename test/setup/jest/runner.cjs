const { default: TestRunner } = require('jest-runner');

const needs = (need) => (test) => test.context.config.displayName?.name === need;

/** Begun last, the longest file would keep one worker busy while the other has nothing left to do. */
const isLongest = (test) => test.path.endsWith('test/federation/fuzz.test.ts');

/**
 * Runs the tests of the running service one after the other, since they share the service and steer its emulators. They
 * mostly wait; beside them the other tests keep two cores busy, those of the local chains first.
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
    others.sort((a, b) => isLongest(b) - isLongest(a));
    const beside = [...ofChains, ...others];
    await Promise.all([
      ofService.length > 0 && this.serviceRunner.runTests(ofService, watcher, options),
      beside.length > 0 && super.runTests(beside, watcher, options),
    ]);
  }
};
