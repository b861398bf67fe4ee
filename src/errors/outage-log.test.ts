import { createOutageLog, type OutageLog } from './outage-log';

const lines: unknown[] = [];
let outages: OutageLog;

beforeEach(() => {
  jest.useFakeTimers();
  lines.length = 0;
  const log = { warn: (...[details, message]: unknown[]) => void lines.push({ ...(details as object), message }) };
  outages = createOutageLog(log, { subject: { chain: 'devnet' }, recovered: 'it responds again' });
});
afterEach(() => jest.useRealTimers());

/** One failure and then, when it `recovers`, one success each second. */
function pass(seconds: number, how: 'fails' | 'recovers'): void {
  for (let second = 0; second < seconds; second += 1) {
    if (how === 'fails') outages.failed('it does not respond', {});
    else outages.succeeded();
    jest.advanceTimersByTime(1000);
  }
}

const failed = (failures: number) => ({ chain: 'devnet', failures, message: 'it does not respond' });

it('an outage is logged when it begins, every ten minutes, and once when it has ended', () => {
  pass(5, 'recovers');
  expect(lines).toEqual([]);
  pass(1500, 'fails');
  expect(lines).toEqual([failed(1), failed(601), failed(1201)]);
  pass(60, 'recovers');
  const ended = { chain: 'devnet', failures: 1500, seconds: 1499, message: 'it responds again' };
  expect(lines.slice(3)).toEqual([ended]);
  pass(1, 'fails');
  expect(lines.slice(4)).toEqual([failed(1)]);
});

it('a node that fails only some requests has one outage', () => {
  for (let round = 0; round < 50; round += 1) {
    pass(1, 'fails');
    pass(3, 'recovers');
  }
  expect(lines).toEqual([failed(1)]);
});

it('each reason of an outage is logged once, up to a bound', () => {
  for (let number = 0; number < 30; number += 1) outages.failed('a pass failed', {}, `reason ${String(number % 15)}`);
  expect(lines).toHaveLength(10);
});
