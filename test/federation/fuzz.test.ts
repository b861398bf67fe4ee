import { TEST_SEED } from '../setup/seed';
import { fuzz } from './fuzz/fuzz';

describe(`the gateway, compared with one schema that holds the same data (seed ${TEST_SEED})`, () => {
  it.each(['process', 'http'] as const)(
    'returns the same responses over %s, and an error for every failure',
    async (over) => {
      const report = await fuzz({ seed: TEST_SEED, operations: 1000, over, failures: 0.04 });
      expect(report.differences.slice(0, 3).join('\n\n')).toBe('');
      expect(report.compared).toBe(1000);
      expect(report.failed).toBeGreaterThan(100);
    },
    120_000,
  );
});
