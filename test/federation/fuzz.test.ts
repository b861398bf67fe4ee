import { TEST_SEED } from '../setup/seed';
import { fuzz } from './fuzz/fuzz';

const PARTS = [0, 1, 2, 3];
/** Operations per part. Only the transport differs over HTTP. */
const OPERATIONS = { process: 250, http: 125 };

describe(`the gateway, compared with one schema that holds the same data (seed ${TEST_SEED})`, () => {
  describe.each(['process', 'http'] as const)(
    'returns the same responses over %s, and an error for every failure',
    (over) => {
      it.each(PARTS)(
        'in part %i of the random operations',
        async (part) => {
          const operations = OPERATIONS[over];
          const report = await fuzz({ seed: TEST_SEED + part, operations, over, failures: 0.04 });
          expect(report.differences.slice(0, 3).join('\n\n')).toBe('');
          expect(report.compared).toBe(operations);
          expect(report.failed).toBeGreaterThan(operations / 10);
        },
        120_000,
      );
    },
  );
});
