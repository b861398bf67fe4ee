const { default: TestRunner } = require('jest-runner');

const needs = (need) => (test) => test.context.config.displayName?.name === need;

/** Begun last, the longest file would keep one worker busy while the other has nothing left to do. */
const isLongest = (test) => test.path.endsWith('test/federation/fuzz.test.ts');

/** Files that run beside the tests of the service before the next check whether those have ended: about 30 seconds. */
const PORTION = 20;

/**
 * Runs tests in two phases. Each keeps two cores busy:
 *
 * 1. The tests of the running service, one after the other, since they share the service and steer its emulators; they
 *    mostly wait. Beside them, in one worker, the tests of the local chains, then other tests in portions.
 * 2. All tests that are left, in all workers.
 */
module.exports = class PhasesRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context);
    const singleWorker = () => new TestRunner({ ...globalConfig, maxWorkers: 1 }, context);
    this.serviceRunner = singleWorker();
    this.besideRunner = singleWorker();
  }

  on(eventName, listener) {
    const stops = [this.serviceRunner, this.besideRunner].map((runner) => runner.on(eventName, listener));
    stops.push(super.on(eventName, listener));
    return () => stops.forEach((stop) => stop());
  }

  async runTests(tests, watcher, options) {
    if (options.serial) return super.runTests(tests, watcher, options);
    const ofService = tests.filter(needs('service'));
    const ofChains = tests.filter(needs('chains'));
    const others = tests.filter((test) => !ofService.includes(test) && !ofChains.includes(test));
    const run = (runner, selected) => selected.length > 0 && runner.runTests(selected, watcher, options);
    others.sort((a, b) => isLongest(b) - isLongest(a));
    if (ofService.length === 0) return super.runTests([...ofChains, ...others], watcher, options);

    let serviceIsDone = false;
    const service = run(this.serviceRunner, ofService).finally(() => (serviceIsDone = true));
    const beside = async () => {
      await run(this.besideRunner, ofChains);
      // From the end: the longest file is left for the phase with all workers.
      while (!serviceIsDone && others.length > PORTION) await run(this.besideRunner, others.splice(-PORTION));
    };
    await Promise.all([service, beside()]);
    if (others.length > 0) await super.runTests(others, watcher, options);
  }
};
