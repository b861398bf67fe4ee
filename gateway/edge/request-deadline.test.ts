import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Lifetime } from '../../src/auth/request-lifetime';
import { createRequestDeadline, type WithinTime } from './request-deadline';

/** A reply whose caller may have left already. */
const replyOf = ({ destroyed = false, writableFinished = false } = {}) => {
  const raw = Object.assign(new EventEmitter(), { destroyed, writableFinished });
  return { raw, reply: { raw } as unknown as FastifyReply };
};

describe('the deadline of a request', () => {
  let withinTime: WithinTime;
  beforeEach(() => {
    jest.useFakeTimers();
    withinTime = createRequestDeadline(1000);
  });
  afterEach(() => jest.useRealTimers());

  it('returns the result of synchronous work directly', () => {
    const { raw, reply } = replyOf();
    expect(withinTime(reply, () => 'result')).toBe('result');
    expect([jest.getTimerCount(), raw.listenerCount('close')]).toEqual([0, 0]);
  });

  it('throws the error of synchronous work', () => {
    const fail = (): string => {
      throw new RangeError('refused');
    };
    expect(() => withinTime(replyOf().reply, fail)).toThrow('refused');
  });

  it('rejects after the time, and ends the lifetime of the work', async () => {
    let lifetime: Lifetime | undefined;
    const working = withinTime(replyOf().reply, (given) => {
      lifetime = given;
      return new Promise<string>(() => undefined);
    });
    const refused = expect(working).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(lifetime?.hasEnded()).toBe(false);
    await jest.advanceTimersByTimeAsync(1000);
    await refused;
    expect(lifetime?.hasEnded()).toBe(true);
  });

  it('stops when the work is done in time', async () => {
    let lifetime: Lifetime | undefined;
    const working = withinTime(replyOf().reply, (given) => {
      lifetime = given;
      return Promise.resolve('result');
    });
    expect(await working).toBe('result');
    await jest.advanceTimersByTimeAsync(1000);
    expect(lifetime?.hasEnded()).toBe(false);
  });

  it('ends the lifetime of the work when the caller leaves, also before the work begins', () => {
    const { raw, reply } = replyOf();
    const lifetimes: Lifetime[] = [];
    const work = (lifetime: Lifetime): Promise<string> => {
      lifetimes.push(lifetime);
      return new Promise(() => undefined);
    };
    void withinTime(reply, work);
    void withinTime(replyOf({ destroyed: true }).reply, work);
    expect(lifetimes.map((lifetime) => lifetime.hasEnded())).toEqual([false, true]);
    raw.emit('close');
    expect(lifetimes.map((lifetime) => lifetime.hasEnded())).toEqual([true, true]);
  });

  it('does not end the lifetime of work whose response was sent', () => {
    const { raw, reply } = replyOf({ writableFinished: true });
    let lifetime: Lifetime | undefined;
    void withinTime(reply, (given) => {
      lifetime = given;
      return new Promise<string>(() => undefined);
    });
    raw.emit('close');
    expect(lifetime?.hasEnded()).toBe(false);
  });
});
