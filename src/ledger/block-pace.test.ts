import { createBlockPace } from './block-pace';

const at = (number: bigint, seconds: number) => ({ number, time: new Date(seconds * 1000) });

test.each([
  ['Ethereum', 12, 6000],
  ['Base', 2, 1000],
  ['a chain of four blocks a second', 0.25, 250],
  ['a chain of a block a minute', 60, 6000],
])('the head of %s is read about twice a block', (_, seconds, delayMs) => {
  const pace = createBlockPace(250);
  for (let number = 0; number <= 250; number += 1) pace.observe(at(BigInt(number), Math.floor(number * seconds)));
  expect(Math.abs(pace.pollDelayMs() - delayMs)).toBeLessThanOrEqual(delayMs / 10);
});

test('without two blocks, and after a reorganisation, the shortest delay holds', () => {
  const pace = createBlockPace(1000);
  pace.observe(at(5n, 100));
  expect(pace.pollDelayMs()).toBe(1000);
  pace.observe(at(4n, 100));
  pace.observe(at(4n, 100));
  expect(pace.pollDelayMs()).toBe(1000);
});
