import { createTimeLimit } from './time-limit';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('a time limit', () => {
  it('expires running work in order, and never work that was stopped', () => {
    const limit = createTimeLimit(100);
    const expired: string[] = [];
    limit.start(() => expired.push('first'));
    const stopped = limit.start(() => expired.push('stopped'));
    jest.advanceTimersByTime(60);
    limit.start(() => expired.push('late'));
    limit.stop(stopped);
    jest.advanceTimersByTime(40);
    expect(expired).toEqual(['first']);
    jest.advanceTimersByTime(59);
    expect(expired).toEqual(['first']);
    jest.advanceTimersByTime(1);
    expect(expired).toEqual(['first', 'late']);
  });

  it('can be used again after all work has ended', () => {
    const limit = createTimeLimit(100);
    const expire = jest.fn();
    limit.stop(limit.start(expire));
    jest.advanceTimersByTime(1000);
    expect(jest.getTimerCount()).toBe(0);
    limit.start(expire);
    jest.advanceTimersByTime(100);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  it('allows work to start and stop while other work expires', () => {
    const limit = createTimeLimit(100);
    const again = jest.fn();
    const stopped = jest.fn();
    const others: ReturnType<typeof limit.start>[] = [];
    limit.start(() => {
      limit.start(again);
      others.forEach((other) => limit.stop(other));
    });
    others.push(limit.start(stopped));
    jest.advanceTimersByTime(100);
    expect([again.mock.calls.length, stopped.mock.calls.length]).toEqual([0, 0]);
    jest.advanceTimersByTime(100);
    expect(again).toHaveBeenCalledTimes(1);
  });
});
