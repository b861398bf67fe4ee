import { createFailedKeyWindow } from './failed-key-window';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('allows an address the configured failures per minute, then returns the seconds to wait', () => {
  const window = createFailedKeyWindow(3);
  for (let guess = 0; guess < 3; guess += 1) {
    expect(window.retryAfter('203.0.113.7')).toBeUndefined();
    window.add('203.0.113.7');
  }
  expect(window.retryAfter('203.0.113.7')).toBe(60);
  expect(window.retryAfter('::ffff:203.0.113.7')).toBe(60);
  expect(window.retryAfter('203.0.113.8')).toBeUndefined();
  jest.advanceTimersByTime(59_001);
  expect(window.retryAfter('203.0.113.7')).toBe(1);
  jest.advanceTimersByTime(999);
  expect(window.retryAfter('203.0.113.7')).toBeUndefined();
});

test('the addresses of one subscriber share their failures', () => {
  const window = createFailedKeyWindow(2);
  window.add('2001:db8::1');
  window.add('2001:db8::2');
  expect(window.retryAfter('2001:db8::3')).toBe(60);
});
