import { createPace } from './pace';

const paceAt = (perSecond: number) => {
  const clock = { ms: 5000 };
  return { clock, pace: createPace({ perSecond, maxDelayMs: 5000, now: () => clock.ms }) };
};

it('lets a customer take parts at the rate, however they are divided', () => {
  const { pace } = paceAt(1000);
  expect([100, 300, 600, 1].map((size) => pace.take('one', size))).toEqual([0, 100, 400, 1000]);
});

it('does not let one customer wait for another', () => {
  const { pace } = paceAt(1000);
  pace.take('one', 60_000);
  expect(pace.take('other', 1)).toBe(0);
});

it('saves nothing up for a customer that took nothing for a while', () => {
  const { pace, clock } = paceAt(1000);
  pace.take('one', 1000);
  clock.ms += 60_000;
  expect([pace.take('one', 500), pace.take('one', 500)]).toEqual([0, 500]);
});

it('never delays a customer by more than the maximum, however much it took', () => {
  const { pace } = paceAt(1000);
  expect([60_000, 60_000, 1].map((size) => pace.take('one', size))).toEqual([0, 5000, 5000]);
});
