const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/** The responses of the running service that a complete run has to validate. */
const MIN_RESPONSES = 1000;

const PROJECTS = 4;

/**
 * Reports how many responses of the tests were validated against the OpenAPI document
 * (`test/openapi/expect-described.ts`). Fails a complete run with fewer than a thousand of the running service.
 */
module.exports = class DescribedResponsesReporter {
  constructor({ testPathPatterns, testNamePattern, projects }) {
    const isFiltered = (testPathPatterns?.patterns ?? []).length > 0 || Boolean(testNamePattern);
    this.isComplete = !isFiltered && projects.length >= PROJECTS;
    this.file = path.join(os.tmpdir(), `afluente-described-responses-${process.pid}`);
    process.env.AFLUENTE_TEST_DESCRIBED_RESPONSES = this.file; // workers inherit it
  }

  onRunComplete() {
    const text = fs.existsSync(this.file) ? fs.readFileSync(this.file, 'utf8') : '';
    fs.rmSync(this.file, { force: true });
    const responses = text.split('\n').filter(Boolean);
    const ofService = responses.filter((line) => line.startsWith('service\t'));
    const different = new Set(ofService);
    const kinds = new Set(ofService.map((line) => line.split('\t')[1]));
    if (responses.length > 0) {
      const ofEdge = responses.length - ofService.length;
      console.log(
        `OpenAPI: ${ofService.length} responses of the service (${different.size} different ones, ${kinds.size} pairs of route and status), and ${ofEdge} of the gateway fixture, are as documented`,
      );
    }
    if (this.isComplete && ofService.length < MIN_RESPONSES) {
      this.error = new Error(`only ${ofService.length} responses were validated against the OpenAPI document`);
    }
  }

  getLastError() {
    return this.error;
  }
};
