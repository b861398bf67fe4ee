import { createRefusalLog } from './refusal-log';

test('a refused sender is logged once a minute for each reason, with what to correct', () => {
  const warn = jest.fn();
  let now = 0;
  const logRefusal = createRefusalLog({ warn }, () => now);
  for (let second = 0; second < 60; second += 1) {
    now = second * 1000;
    logRefusal('signed with another secret', '10.0.0.1');
    logRefusal(`signed ${String(75 + second)} s ago`, '10.0.0.1');
  }
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn.mock.calls[0]).toEqual([
    { address: '10.0.0.1', reason: 'signed with another secret' },
    expect.stringMatching(/signed with another secret.*INTERNAL_SECRET must be the same.*clocks must agree/),
  ]);
  now = 60_000;
  logRefusal('signed with another secret', '10.0.0.1');
  expect(warn).toHaveBeenCalledTimes(3);
});
