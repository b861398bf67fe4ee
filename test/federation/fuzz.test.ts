import { TEST_SEED } from '../setup/seed';
import { fuzz } from './fuzz/fuzz';

describe(`the gateway, compared with one schema that holds the same data (seed ${TEST_SEED})`, () => {
  it.each(['process', 'http'] as const)(
    'gives the same answers over %s, and explains what fails',
    async (over) => {
      const report = await fuzz({ seed: TEST_SEED, operations: 1000, over, failures: 0.04 });
      expect(report.differences.slice(0, 3).join('\n\n')).toBe('');
      expect(report.compared).toBe(1000);
      expect(report.spoilt).toBeGreaterThan(100);
    },
    120_000,
  );
});
