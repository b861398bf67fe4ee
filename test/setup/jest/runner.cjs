const { default: TestRunner } = require('jest-runner');

const needs = (need) => (test) => test.context.config.displayName?.name === need;

/** Begun last, the longest file would keep one worker busy while the others have nothing left to do. */
const isLongest = (test) => test.path.endsWith('test/federation/fuzz.test.ts');

/** Files that a lane takes at a time at least. Starting a worker takes about as long as three of them. */
const MIN_PORTION = 8;

/**
 * Runs the tests in three lanes of one worker each:
 *
 * 1. the tests of the running service, one after the other, since they share the service and steer its emulators;
 * 2. the tests of the local chains;
 * 3. all other tests.
 *
 * The first two lanes mostly wait, hence more lanes than the two cores of a small machine. A lane that has ended its own
 * tests goes on with the others, in portions that become smaller, so that all lanes end at about the same time.
 */
module.exports = class LanesRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context);
    this.lanes = [1, 2, 3].map(() => new TestRunner({ ...globalConfig, maxWorkers: 1 }, context));
  }

  on(eventName, listener) {
    const stops = [super.on(eventName, listener), ...this.lanes.map((lane) => lane.on(eventName, listener))];
    return () => stops.forEach((stop) => stop());
  }

  async runTests(tests, watcher, options) {
    const ofService = tests.filter(needs('service'));
    const ofChains = tests.filter(needs('chains'));
    const others = tests.filter((test) => !ofService.includes(test) && !ofChains.includes(test));
    others.sort((a, b) => isLongest(b) - isLongest(a));
    if (options.serial) return super.runTests(tests, watcher, options);
    if (ofService.length === 0) return super.runTests([...ofChains, ...others], watcher, options);
    const takePortion = () => others.splice(0, Math.max(MIN_PORTION, Math.ceil(others.length / this.lanes.length / 2)));
    const run = async (lane, own) => {
      for (let portion = own; portion.length > 0; portion = takePortion()) {
        await lane.runTests(portion, watcher, options);
      }
    };
    const [service, chains, rest] = this.lanes;
    await Promise.all([
      run(service, ofService),
      run(chains, ofChains.length > 0 ? ofChains : takePortion()),
      run(rest, takePortion()),
    ]);
  }
};
