import { createRestartLimit } from './restart-limit';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a process may start again five times within a minute', () => {
  const mayRestart = createRestartLimit();
  expect(Array.from({ length: 6 }, () => mayRestart())).toEqual([true, true, true, true, true, false]);
  jest.advanceTimersByTime(61_000);
  expect(mayRestart()).toBe(true);
});
