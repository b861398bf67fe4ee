import { createLifetime, lifetimeFromSignal } from './lifetime';
import { createRequestContext } from './request-context';

describe('a lifetime', () => {
  it('ends once, for everybody who waits for it', () => {
    const lifetime = createLifetime();
    const early = lifetime.signal();
    const called: string[] = [];
    const forgotten = (): unknown => called.push('forgotten');
    lifetime.onceOver(() => called.push('first'));
    lifetime.onceOver(forgotten);
    lifetime.onceOver(() => called.push('last'));
    lifetime.forget(forgotten);
    expect([lifetime.isOver(), early.aborted]).toEqual([false, false]);
    lifetime.end();
    lifetime.end();
    expect([lifetime.isOver(), early.aborted, called]).toEqual([true, true, ['first', 'last']]);
  });

  it('gives an aborted signal to whoever asks after its end', () => {
    const lifetime = createLifetime();
    lifetime.end();
    expect(lifetime.signal().aborted).toBe(true);
    expect(lifetime.signal()).toBe(lifetime.signal());
  });

  it('may be that of a signal', () => {
    const controller = new AbortController();
    const lifetime = lifetimeFromSignal(controller.signal);
    const callback = jest.fn();
    const forgotten = jest.fn();
    lifetime.onceOver(callback);
    lifetime.onceOver(forgotten);
    lifetime.forget(forgotten);
    controller.abort();
    expect([lifetime.isOver(), lifetime.signal()]).toEqual([true, controller.signal]);
    expect([callback.mock.calls.length, forgotten.mock.calls.length]).toEqual([1, 0]);
  });
});

describe('the context of a request', () => {
  const parts = { requestId: 'r', principal: undefined };

  it('has the signal of its lifetime', () => {
    const lifetime = createLifetime();
    const context = createRequestContext({ ...parts, lifetime });
    expect(context.signal).toBe(lifetime.signal());
    const { signal } = new AbortController();
    expect(createRequestContext({ ...parts, signal }).signal).toBe(signal);
  });

  it('makes a loader once', () => {
    const context = createRequestContext({ ...parts, lifetime: createLifetime() });
    const create = jest.fn((own: unknown) => ({ own }));
    expect(context.loader(create)).toBe(context.loader(create));
    expect(create.mock.calls).toEqual([[context]]);
  });
});
