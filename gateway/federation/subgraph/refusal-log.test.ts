import { RefusedRequestError } from './http-exchange';
import { INVALID_PRINCIPAL } from './internal-request';
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

describe('an invalid principal', () => {
  const ADVICE = /invalid principal.*same version.*docs\/federation\.md/;
  const OTHER_ADVICE = /INTERNAL_SECRET|clocks/;

  it('has advice of its own in the log of the subgraph', () => {
    const warn = jest.fn();
    createRefusalLog({ warn })(INVALID_PRINCIPAL, '10.0.0.1');
    const [, message] = warn.mock.calls[0] as [unknown, string];
    expect(message).toMatch(ADVICE);
    expect(message).not.toMatch(OTHER_ADVICE);
  });

  it('has advice of its own in the log of the gateway', () => {
    const body = JSON.stringify({ error: { message: `The request is ${INVALID_PRINCIPAL}.` } });
    const { message } = new RefusedRequestError(body);
    expect(message).toMatch(ADVICE);
    expect(message).not.toMatch(OTHER_ADVICE);
  });
});
