import { createLifetime, lifetimeFromSignal } from './request-lifetime';
import { createRequestContext } from './request-context';

describe('a lifetime', () => {
  it('ends once, and calls every registered callback', () => {
    const lifetime = createLifetime();
    const early = lifetime.signal();
    const called: string[] = [];
    const forgotten = (): unknown => called.push('forgotten');
    lifetime.onEnd(() => called.push('first'));
    lifetime.onEnd(forgotten);
    lifetime.onEnd(() => called.push('last'));
    lifetime.offEnd(forgotten);
    expect([lifetime.hasEnded(), early.aborted]).toEqual([false, false]);
    lifetime.end();
    lifetime.end();
    expect([lifetime.hasEnded(), early.aborted, called]).toEqual([true, true, ['first', 'last']]);
  });

  it('returns an aborted signal after its end', () => {
    const lifetime = createLifetime();
    lifetime.end();
    expect(lifetime.signal().aborted).toBe(true);
    expect(lifetime.signal()).toBe(lifetime.signal());
  });

  it('can be created from a signal', () => {
    const controller = new AbortController();
    const lifetime = lifetimeFromSignal(controller.signal);
    const callback = jest.fn();
    const forgotten = jest.fn();
    lifetime.onEnd(callback);
    lifetime.onEnd(forgotten);
    lifetime.offEnd(forgotten);
    controller.abort();
    expect([lifetime.hasEnded(), lifetime.signal()]).toEqual([true, controller.signal]);
    expect([callback.mock.calls.length, forgotten.mock.calls.length]).toEqual([1, 0]);
  });
});

describe('the context of a request', () => {
  const parts = { requestId: 'r', principal: undefined };

  it('exposes the signal of its lifetime', () => {
    const lifetime = createLifetime();
    const context = createRequestContext({ ...parts, lifetime });
    expect(context.signal).toBe(lifetime.signal());
    const { signal } = new AbortController();
    expect(createRequestContext({ ...parts, signal }).signal).toBe(signal);
  });

  it('creates each loader once', () => {
    const context = createRequestContext({ ...parts, lifetime: createLifetime() });
    const create = jest.fn((own: unknown) => ({ own }));
    expect(context.loader(create)).toBe(context.loader(create));
    expect(create.mock.calls).toEqual([[context]]);
  });
});
