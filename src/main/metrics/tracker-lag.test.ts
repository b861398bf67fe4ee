import { createTrackerLag } from './tracker-lag';

const BASE = 8453;
const POLYGON = 137;
let seconds: number;
const open = () => createTrackerLag(() => seconds);
beforeEach(() => {
  seconds = 1000;
});

test('the lag of a chain that was never read grows from the start of the process', () => {
  const lag = open();
  expect(lag(BASE, null)).toBe(0);
  seconds += 400;
  expect(lag(BASE, null)).toBe(400);
});

test('the lag goes on growing when the blocks of a chain have to be read again, and ends when they were', () => {
  const lag = open();
  seconds += 5000;
  expect(lag(BASE, 20)).toBe(20);
  seconds += 300;
  expect(lag(BASE, null)).toBe(320);
  expect(lag(BASE, 0)).toBe(0);
});

test('the lag of one chain does not depend on another one', () => {
  const lag = open();
  seconds += 100;
  expect(lag(POLYGON, 3)).toBe(3);
  expect(lag(BASE, null)).toBe(100);
});
