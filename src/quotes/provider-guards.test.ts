import { serviceError } from '../errors/service-error';
import { createProviderGuards } from './provider-guards';

const outage = () => Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'alpha', reason: 'down' }));
const tooLow = () => Promise.reject(serviceError('AMOUNT_IN_TOO_LOW', { minimum: '1 USDC' }));
const fine = () => Promise.resolve('fine');
const messageOf = (answer: Promise<unknown>) => answer.then(String, (error: Error) => error.message);

describe('the guards of providers', () => {
  it('leave a provider alone that failed five times in a row, and try it again later', async () => {
    const guards = createProviderGuards({ restMs: 50 });
    for (let i = 0; i < 5; i++) await expect(guards.run('alpha', outage)).rejects.toThrow('down');
    expect(guards.state('alpha')).toBe('open');
    expect(await messageOf(guards.run('alpha', fine))).toContain('is left alone');
    expect(await guards.run('beta', fine)).toBe('fine');
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(await guards.run('alpha', fine)).toBe('fine');
    expect(guards.state('alpha')).toBe('closed');
  });

  it('take an answer about the amount for a sound answer', async () => {
    const guards = createProviderGuards();
    for (let i = 0; i < 20; i++) await expect(guards.run('alpha', tooLow)).rejects.toThrow('1 USDC');
    expect(guards.state('alpha')).toBe('closed');
  });

  it('refuse questions beyond what a slow provider may hold up, without touching the others', async () => {
    const guards = createProviderGuards({ concurrency: 2, queue: 1 });
    let release = (): void => undefined;
    const held = new Promise<string>((resolve) => (release = () => resolve('late')));
    const waiting = [1, 2, 3].map(() => guards.run('alpha', () => held));
    expect(await messageOf(guards.run('alpha', fine))).toContain('too many questions');
    expect(await guards.run('beta', fine)).toBe('fine');
    release();
    expect(await Promise.all(waiting)).toEqual(['late', 'late', 'late']);
    expect(await guards.run('alpha', fine)).toBe('fine');
  });
});
