const { default: TestRunner } = require('jest-runner');

const needs = (need) => (test) => test.context.config.displayName?.name === need;

/** Begun last, the longest files would keep one worker busy while the others have nothing left to do. */
const isLong = (test) => /\/(?:fuzz|killed|lost-database|proved-swaps)\.test\.ts$/.test(test.path);

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

  /**
   * Stops what only the given tests use once the last of them has ended: local chains and a service that nothing uses
   * still mine and poll, which costs the tests that are left a part of the processor. The teardown reports a failure.
   */
  stopAfter(tests, stop) {
    const left = new Set(tests.map((test) => test.path));
    const ended = ([test]) => {
      if (left.delete(test.path) && left.size === 0) Promise.resolve(stop()).catch(() => undefined);
    };
    const stops = ['test-file-success', 'test-file-failure'].map((name) => this.on(name, ended));
    return () => stops.forEach((unsubscribe) => unsubscribe());
  }

  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const ofService = tests.filter(needs('service'));
    const ofChains = tests.filter(needs('chains'));
    const others = tests.filter((test) => !ofService.includes(test) && !ofChains.includes(test));
    const beside = [...others.filter(isLong), ...ofChains, ...others.filter((test) => !isLong(test))];
    const unsubscribe = [
      this.stopAfter(ofService, () => globalThis.serviceUnderTest?.stop()),
      this.stopAfter(ofChains, () => globalThis.universesUnderTest?.stop()),
    ];
    await Promise.all([
      ofService.length > 0 && this.serviceRunner.runTests(ofService, watcher, options),
      beside.length > 0 && super.runTests(beside, watcher, options),
    ]).finally(() => unsubscribe.forEach((each) => each()));
  }
};
