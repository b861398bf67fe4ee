import { setTimeout as sleep } from 'node:timers/promises';
import { newCustomer } from '../../../test/actions/sample-action';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import { serviceError, type ServiceError } from '../../errors/service-error';
import { createProviderGuards, type ProviderGuardOptions } from '../../venues/provider-guards';
import { createChainCalls, createOptionalCallCapacity } from './chain-calls';

const chain = KNOWN_CHAINS[0]!;
const down = () => serviceError('PROVIDER_UNAVAILABLE', { provider: 'node', reason: 'it is down' });
const never = () => new Promise<never>(() => undefined);

/** Requests of customers, which share the guards of the chain. */
function deployment({
  chainTimeoutMs = 50,
  maxOptionalCalls,
  ...options
}: ProviderGuardOptions & { readonly chainTimeoutMs?: number; readonly maxOptionalCalls?: number } = {}) {
  const errors: unknown[] = [];
  const log = { error: (...args: unknown[]) => void errors.push(args) };
  const guards = createProviderGuards(options);
  const optionalCalls = createOptionalCallCapacity(maxOptionalCalls);
  const lateChains = new Set<string>();
  const request = (signal = new AbortController().signal, customerId = newCustomer()) =>
    createChainCalls({ guards, optionalCalls, lateChains, log, chainTimeoutMs }, { customerId, chain, signal });
  return { request, errors, state: () => guards.state(chain.slug) };
}

describe('calls to a chain', () => {
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('refuse a chain that fails or does not respond five times in a row, and not one whose callers disconnect', async () => {
    const { request, state } = deployment();
    for (let attempt = 0; attempt < 9; attempt++) {
      const controller = new AbortController();
      const read = request(controller.signal).required(never);
      controller.abort();
      await expect(read).rejects.toThrow();
    }
    expect(state()).toBe('closed');
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(request().required(attempt % 2 === 0 ? never : () => Promise.reject(down()))).rejects.toMatchObject({
        code: 'PROVIDER_UNAVAILABLE',
      });
    }
    expect(state()).toBe('open');
  });

  it('to a chain that did not respond in time are given up soon, until it has responded, however slowly', async () => {
    const { request } = deployment({ chainTimeoutMs: 1500, failures: 99 });
    const limits: { readonly ms: number; readonly end: () => void }[] = [];
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const limit = new AbortController();
      limits.push({ ms, end: () => limit.abort() });
      return limit.signal;
    });
    const codeAfter = async (ms: number, read: () => Promise<unknown>): Promise<unknown> => {
      const result = request().required(read);
      result.catch(() => undefined);
      await new Promise(setImmediate);
      for (const limit of limits.splice(0)) if (limit.ms === ms) limit.end();
      return result.catch((error: unknown) => (error as ServiceError).code);
    };
    expect(await codeAfter(1500, never)).toBe('PROVIDER_UNAVAILABLE');
    expect(await codeAfter(300, never)).toBe('PROVIDER_UNAVAILABLE');
    let respond = (): void => undefined;
    const slowly = () => new Promise<string>((resolve) => (respond = () => resolve('block')));
    expect(await codeAfter(300, slowly)).toBe('PROVIDER_UNAVAILABLE');
    respond();
    await new Promise(setImmediate);
    const read = request().required(slowly);
    await new Promise(setImmediate);
    expect(limits.map(({ ms }) => ms)).toEqual(expect.arrayContaining([1500]));
    expect(limits.map(({ ms }) => ms)).not.toContain(300);
    respond();
    expect(await read).toBe('block');
  });

  it('never count what callers name as a failure of the chain, however often it fails', async () => {
    const { request, errors } = deployment();
    for (let attempt = 0; attempt < 8; attempt++) {
      expect(await request().required(() => Promise.resolve('block'))).toBe('block');
      expect(await request().optional<string>(() => Promise.reject(down()))).toBeUndefined();
      const partial = await request().optional((signal) =>
        sleep(60_000, 'none', { signal }).catch(() => 'what was read'),
      );
      expect(partial).toBe('what was read');
    }
    expect(await request().required(() => Promise.resolve('block'))).toBe('block');
    expect(errors).toEqual([]);
    expect(await request().optional<string>(() => Promise.reject(new TypeError('a bug')))).toBeUndefined();
    expect(errors).toHaveLength(1);
  });

  it('do not wait behind slow calls to what callers name', async () => {
    const { request } = deployment({ concurrency: 2, queue: 2, chainTimeoutMs: 60_000 });
    let release = (): void => undefined;
    const held = new Promise<string>((resolve) => (release = () => resolve('slow')));
    const slow = Array.from({ length: 20 }, () => request().optional(() => held));
    expect(await request().required(() => Promise.resolve('block'))).toBe('block');
    release();
    const results = await Promise.all(slow);
    expect(results.filter((result) => result === 'slow').length).toBeGreaterThanOrEqual(2);
  });

  it('of one caller that disconnects while they wait leave the calls behind them their turn', async () => {
    jest.useFakeTimers();
    const { request } = deployment({ concurrency: 1, queue: 10, chainTimeoutMs: 60_000 });
    let release = (): void => undefined;
    const held = request().optional(() => new Promise<string>((resolve) => (release = () => resolve('slow'))));
    const controller = new AbortController();
    const left = [1, 2, 3].map(() => request(controller.signal).optional(() => Promise.resolve('not made')));
    const behind = request().optional(() => Promise.resolve('read'));
    controller.abort();
    expect(await Promise.all(left)).toEqual([undefined, undefined, undefined]);
    release();
    expect([await held, await behind]).toEqual(['slow', 'read']);
  });

  it('of one customer leave slots to other customers, however slow its contracts are', async () => {
    const { request } = deployment({ concurrency: 3, queue: 10, chainTimeoutMs: 60_000, maxOptionalCalls: 2 });
    const { signal } = new AbortController();
    let release = (): void => undefined;
    const held = new Promise<string>((resolve) => (release = () => resolve('slow')));
    const one = newCustomer();
    const slow = Array.from({ length: 20 }, () => request(signal, one).optional(() => held));
    expect(await request().optional(() => Promise.resolve('read'))).toBe('read');
    release();
    expect((await Promise.all(slow)).filter((result) => result === 'slow')).toHaveLength(2);
    expect(await request(signal, one).optional(() => Promise.resolve('read'))).toBe('read');
  });

  it('that waited too long in our own queue are not made, and do not count', async () => {
    jest.useFakeTimers();
    const { request, state } = deployment({ concurrency: 1, chainTimeoutMs: 60_000 });
    let made = 0;
    let release = (): void => undefined;
    const slow = request().required(() => new Promise<string>((resolve) => (release = () => resolve('slow'))));
    const late = Array.from({ length: 9 }, () =>
      request().required(() => {
        made += 1;
        return Promise.reject(down());
      }),
    );
    jest.advanceTimersByTime(700);
    release();
    for (const result of await Promise.allSettled(late)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'PROVIDER_UNAVAILABLE' } });
    }
    await slow;
    expect([made, state()]).toEqual([0, 'closed']);
  });
});
