/** A socket or timer that a test left open must not keep the run alive; jest has reported it by then. */
const GRACE_MS = 120_000;

/** Ends the run with one plain line that counts tests, for machines to read. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const line = `${numPassedTests} passed, ${failed} failed${numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''}`;
    process.once('exit', () => require('node:fs').writeSync(1, `\n${line}\n`));
    setTimeout(() => process.exit(failed > 0 ? 1 : 0), GRACE_MS).unref();
  }
};
