const { default: TestRunner } = require('jest-runner');

const needs = (need) => (test) => test.context.config.displayName?.name === need;

/** Begun last, the longest file would keep one worker busy while the other has nothing left to do. */
const isLongest = (test) => test.path.endsWith('test/federation/fuzz.test.ts');

/** Files that run beside the first phase before the next check whether it has ended: about a minute. */
const PORTION = 30;

/**
 * Runs tests in two phases. Each keeps two cores busy:
 *
 * 1. The tests of the running service, one after the other, since they share the service and steer its emulators; they
 *    mostly wait. Beside them the tests of the local chains in a second worker, and other tests in portions in a third.
 * 2. All tests that are left, in one worker more than there are cores: tests of the database wait now and then.
 */
module.exports = class PhasesRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context);
    const withWorkers = (maxWorkers) => new TestRunner({ ...globalConfig, maxWorkers }, context);
    this.serviceRunner = withWorkers(1);
    this.chainsRunner = withWorkers(1);
    this.besideRunner = withWorkers(1);
    this.othersRunner = withWorkers(globalConfig.maxWorkers + 1);
  }

  on(eventName, listener) {
    const runners = [this.serviceRunner, this.chainsRunner, this.besideRunner, this.othersRunner];
    const stops = runners.map((runner) => runner.on(eventName, listener));
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

    let firstPhaseEnded = false;
    const firstPhase = Promise.all([run(this.serviceRunner, ofService), run(this.chainsRunner, ofChains)]).finally(
      () => (firstPhaseEnded = true),
    );
    const beside = async () => {
      // From the end: the longest file is left for the phase with all workers.
      while (!firstPhaseEnded && others.length > PORTION) await run(this.besideRunner, others.splice(-PORTION));
    };
    await Promise.all([firstPhase, beside()]);
    await run(this.othersRunner, others);
  }
};
