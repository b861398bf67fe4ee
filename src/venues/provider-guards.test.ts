import { setTimeout as sleep } from 'node:timers/promises';
import { serviceError } from '../errors/service-error';
import { providerUnavailable, UpstreamError } from '../http/upstream-error';
import { AbandonedError, createProviderGuards } from './provider-guards';

const outage = () => Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'alpha', reason: 'down' }));
const tooLow = () => Promise.reject(serviceError('AMOUNT_IN_TOO_LOW', { minimum: '1 USDC' }));
const fine = () => Promise.resolve('fine');
const messageOf = (result: Promise<unknown>) => result.then(String, (error: unknown) => (error as Error).message);

describe('provider guards', () => {
  afterEach(() => jest.useRealTimers());

  it('stop calling a provider after five consecutive failures, and test it again later', async () => {
    jest.useFakeTimers();
    const guards = createProviderGuards({ cooldownMs: 50 });
    for (let i = 0; i < 5; i++) await expect(guards.run('alpha', outage)).rejects.toThrow('down');
    expect(guards.state('alpha')).toBe('open');
    expect(await messageOf(guards.run('alpha', fine))).toContain('is not called for a while');
    expect(await guards.run('beta', fine)).toBe('fine');
    jest.advanceTimersByTime(50);
    expect(await guards.run('alpha', fine)).toBe('fine');
    expect(guards.state('alpha')).toBe('closed');
  });

  it('do not count an amount error as an outage', async () => {
    const guards = createProviderGuards();
    for (let i = 0; i < 20; i++) await expect(guards.run('alpha', tooLow)).rejects.toThrow('1 USDC');
    expect(guards.state('alpha')).toBe('closed');
  });

  it('count the upstream error behind another code, and only outages', async () => {
    const behind = (kind: 'timeout' | 'unreachable' | 'status' | 'unreadable', status?: number) => () => {
      const cause = new UpstreamError('it failed', { kind, status });
      return Promise.reject(serviceError('SECONDARY_RAMP_API_ERROR', {}, { cause }));
    };
    const after = async (fail: () => Promise<never>, isOutage?: (error: Error) => boolean) => {
      const guards = createProviderGuards({ failures: 2 });
      for (let i = 0; i < 2; i++) {
        const code = 'SECONDARY_RAMP_API_ERROR';
        const options = isOutage === undefined ? {} : { isOutage };
        await expect(guards.run('ramp', fail, options)).rejects.toMatchObject({ code });
      }
      return guards.state('ramp');
    };
    for (const dead of [behind('timeout'), behind('unreachable'), behind('status', 502)]) {
      expect(await after(dead)).toBe('open');
      expect(await after(dead, () => false)).toBe('closed');
    }
    for (const sound of [behind('unreadable'), behind('status', 401)]) expect(await after(sound)).toBe('closed');
  });

  it('close the chains that fail and leave the other chains of the provider open', async () => {
    const guards = createProviderGuards({ failures: 1 });
    await expect(guards.run('alpha', outage, { chains: '1' })).rejects.toThrow('down');
    expect(await messageOf(guards.run('alpha', fine, { chains: '1' }))).toContain('is not called for a while');
    for (const chains of ['137', '1>137']) expect(await guards.run('alpha', fine, { chains })).toBe('fine');
    expect(guards.state('alpha')).toBe('open');
  });

  it.each([
    ['a request that the provider rejects', new UpstreamError('HTTP 400', { kind: 'status', status: 400 })],
    ['an amount that cannot be encoded', new RangeError('out of range')],
  ])('do not count %s as an outage', async (_, cause) => {
    const guards = createProviderGuards({ failures: 1 });
    const rejected = () => Promise.reject(cause instanceof UpstreamError ? providerUnavailable('alpha', cause) : cause);
    for (let i = 0; i < 3; i++) await expect(guards.run('alpha', rejected)).rejects.toThrow();
    expect(guards.state('alpha')).toBe('closed');
  });

  it('stay open for the cooldown and report it', async () => {
    jest.useFakeTimers();
    const guards = createProviderGuards({ cooldownMs: 50, failures: 1 });
    expect(guards.isCoolingDown('alpha')).toBe(false);
    await expect(guards.run('alpha', outage)).rejects.toThrow('down');
    expect(guards.isCoolingDown('alpha')).toBe(true);
    jest.advanceTimersByTime(50);
    expect([guards.isCoolingDown('alpha'), guards.state('alpha')]).toEqual([false, 'open']);
  });

  it('refuse calls beyond the bulkhead of a slow provider, without affecting other providers', async () => {
    const guards = createProviderGuards({ concurrency: 2, queue: 1 });
    let release = (): void => undefined;
    const held = new Promise<string>((resolve) => (release = () => resolve('late')));
    const waiting = [1, 2, 3].map(() => guards.run('alpha', () => held));
    expect(await messageOf(guards.run('alpha', fine))).toContain('too many calls');
    expect(await guards.run('beta', fine)).toBe('fine');
    release();
    expect(await Promise.all(waiting)).toEqual(['late', 'late', 'late']);
    expect(await guards.run('alpha', fine)).toBe('fine');
  });

  it('give the slots that aborted calls have waited for to the calls behind them', async () => {
    const guards = createProviderGuards({ concurrency: 1, queue: 10 });
    let release = (): void => undefined;
    const held = guards.run('alpha', () => new Promise<string>((resolve) => (release = () => resolve('late'))));
    const controller = new AbortController();
    let made = 0;
    const aborted = [1, 2, 3].map(() =>
      messageOf(
        guards.run(
          'alpha',
          () => {
            made += 1;
            return fine();
          },
          { signal: controller.signal },
        ),
      ),
    );
    const behind = [1, 2].map(() => guards.run('alpha', fine, { signal: new AbortController().signal }));
    controller.abort(new Error('the caller left'));
    // At once, while the slot is not free.
    expect(await Promise.all(aborted)).toEqual(Array(3).fill('the caller left'));
    release();
    expect([await held, ...(await Promise.all(behind))]).toEqual(['late', 'fine', 'fine']);
    expect([made, guards.state('alpha')]).toEqual([0, 'closed']);
  });

  it('let a call that runs return what it has when its signal aborts', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const partial = createProviderGuards().run('alpha', () => sleep(60_000, 'all', { signal }).catch(() => 'a part'), {
      signal,
    });
    controller.abort();
    expect(await partial).toBe('a part');
  });

  it('do not let calls wait for the one call that tests a provider', async () => {
    const guards = createProviderGuards({ cooldownMs: 30, failures: 1 });
    await expect(guards.run('alpha', outage)).rejects.toThrow('down');
    await new Promise((resolve) => setTimeout(resolve, 50));
    let release = (): void => undefined;
    const trial = guards.run('alpha', () => new Promise<string>((resolve) => (release = () => resolve('back'))));
    await Promise.resolve();
    expect(await messageOf(guards.run('alpha', fine))).toContain('is not called for a while');
    release();
    expect(await trial).toBe('back');
    expect(await guards.run('alpha', fine)).toBe('fine');
  });
});

describe('a provider that responds with Retry-After', () => {
  const busyFor = (retryAfterSeconds: number | undefined) => () => {
    const refusal = new UpstreamError('it answered 429', { kind: 'status', status: 429, retryAfterSeconds });
    return Promise.reject(providerUnavailable('alpha', refusal));
  };
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Seconds of cooldown after a `Retry-After` of `said`. */
  async function cooldownAfter(said: number | undefined): Promise<number> {
    const guards = createProviderGuards();
    await expect(guards.run('alpha', busyFor(said))).rejects.toThrow('429');
    let seconds = 0;
    while ((await messageOf(guards.run('alpha', fine))) !== 'fine') {
      expect(guards.state('alpha')).toBe('open');
      seconds += 1;
      jest.advanceTimersByTime(1000);
    }
    expect(guards.state('alpha')).toBe('closed');
    return seconds;
  }

  it.each([
    [undefined, 0],
    [0, 0],
    [-5, 0],
    [1, 1],
    [30, 30],
    [60, 60],
    [61, 60],
    [86_400, 60],
  ])('of %p seconds is not called for %d seconds', async (said, seconds) => {
    expect(await cooldownAfter(said)).toBe(seconds);
  });

  it('has a cooldown that neither an earlier call nor a shorter Retry-After cuts short', async () => {
    const guards = createProviderGuards();
    let release = (): void => undefined;
    const earlier = guards.run('alpha', () => new Promise<string>((resolve) => (release = () => resolve('late'))));
    const later = [guards.run('alpha', busyFor(10)), guards.run('alpha', busyFor(2))];
    for (const question of later) await expect(question).rejects.toThrow('429');
    release();
    expect(await earlier).toBe('late');
    jest.advanceTimersByTime(9000);
    expect(await messageOf(guards.run('alpha', fine))).toContain('requested a pause');
    jest.advanceTimersByTime(1000);
    expect(await guards.run('alpha', fine)).toBe('fine');
  });

  it('is not called by calls that already waited in the queue', async () => {
    const guards = createProviderGuards({ concurrency: 1, queue: 10 });
    let calls = 0;
    const results = Array.from({ length: 5 }, () =>
      messageOf(
        guards.run('alpha', () => {
          calls += 1;
          return busyFor(5)();
        }),
      ),
    );
    expect((await Promise.all(results)).filter((message) => message.includes('requested a pause'))).toHaveLength(4);
    expect(calls).toBe(1);
    expect(await guards.run('beta', fine)).toBe('fine');
  });
});

describe('the outcomes of guarded calls', () => {
  afterEach(() => jest.useRealTimers());

  it('are ok, rejected, an outage, not called or abandoned', async () => {
    const outcomes: string[] = [];
    const onCall = (provider: string, outcome: string) => void outcomes.push(`${provider} ${outcome}`);
    const guards = createProviderGuards({ failures: 1, onCall });
    await guards.run('alpha', fine);
    await expect(guards.run('alpha', tooLow)).rejects.toThrow('1 USDC');
    await expect(guards.run('alpha', outage)).rejects.toThrow('down');
    await expect(guards.run('alpha', fine)).rejects.toThrow('is not called for a while');
    const { signal } = abandonedCall();
    await expect(guards.run('beta', fine, { signal })).rejects.toThrow(AbandonedError);
    expect(outcomes).toEqual(['alpha ok', 'alpha rejected', 'alpha outage', 'alpha notCalled', 'beta abandoned']);
  });

  it('show each breaker, open while it lets no call through', async () => {
    jest.useFakeTimers();
    const guards = createProviderGuards({ failures: 1, cooldownMs: 50 });
    expect(guards.breakers()).toEqual([]);
    await expect(guards.run('alpha', outage, { chains: '1' })).rejects.toThrow('down');
    await guards.run('alpha', fine, { chains: '1>137' });
    const states = () => guards.breakers().map(({ provider, chains, isOpen }) => [provider, chains, isOpen]);
    expect(states()).toEqual([
      ['alpha', '1', true],
      ['alpha', '1>137', false],
    ]);
    // A provider that is not called any more is not shown as open for ever.
    jest.advanceTimersByTime(50);
    expect(states()).toEqual([
      ['alpha', '1', false],
      ['alpha', '1>137', false],
    ]);
  });
});

function abandonedCall(): AbortController {
  const left = new AbortController();
  left.abort(new AbandonedError());
  return left;
}
