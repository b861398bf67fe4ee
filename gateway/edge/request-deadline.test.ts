import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Lifetime } from '../../src/auth/request-lifetime';
import { createRequestDeadline } from './request-deadline';

/** A reply whose caller may have left already. */
const replyOf = ({ destroyed = false, writableFinished = false } = {}) => {
  const raw = Object.assign(new EventEmitter(), { destroyed, writableFinished });
  return { raw, reply: { raw } as unknown as FastifyReply };
};

describe('the deadline of a request', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const withinTime = createRequestDeadline(1000);

  it('returns the result of synchronous work directly', () => {
    expect(withinTime(replyOf().reply, () => 'result')).toBe('result');
    expect(jest.getTimerCount()).toBe(0);
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

  it('leaves the lifetime of work alone whose response was sent', () => {
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
