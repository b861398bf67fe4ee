import { toBaseUnits } from '../money/base-units';
import type { PartsPerMillion } from '../money/slippage';
import { minimumOutput } from './minimum-output';

test.each([
  [1000n, 995n],
  [1001n, 995n],
  [2n, 1n],
  [1n, 1n],
] as const)('with a slippage of 0.5 %%, the minimum of %i is %i: rounded down, and never zero', (expected, minimum) => {
  expect(minimumOutput(toBaseUnits(expected), 5000n as PartsPerMillion)).toBe(minimum);
});
