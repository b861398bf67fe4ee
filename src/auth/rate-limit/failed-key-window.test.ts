import { createFailedKeyWindow } from './failed-key-window';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('allows an address the configured failures per minute, then returns the seconds to wait', () => {
  const bucket = createFailedKeyWindow(3);
  for (let guess = 0; guess < 3; guess += 1) {
    expect(bucket.retryAfter('203.0.113.7')).toBeUndefined();
    bucket.add('203.0.113.7');
  }
  expect(bucket.retryAfter('203.0.113.7')).toBe(60);
  expect(bucket.retryAfter('::ffff:203.0.113.7')).toBe(60);
  expect(bucket.retryAfter('203.0.113.8')).toBeUndefined();
  jest.advanceTimersByTime(59_001);
  expect(bucket.retryAfter('203.0.113.7')).toBe(1);
  jest.advanceTimersByTime(999);
  expect(bucket.retryAfter('203.0.113.7')).toBeUndefined();
});

test('the addresses of one subscriber share their failures', () => {
  const bucket = createFailedKeyWindow(2);
  bucket.add('2001:db8::1');
  bucket.add('2001:db8::2');
  expect(bucket.retryAfter('2001:db8::3')).toBe(60);
});
