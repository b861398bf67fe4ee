import { pino } from 'pino';
import { until } from '../../test/resilience/until';
import type { ClaimedRequest, IdempotencyStore } from '../../src/auth/idempotency/idempotency-store';
import type { CustomerId } from '../../src/auth/principal';
import { DatabaseConnectionError } from '../../src/persistence/database-outage';
import { executeOnce, type KeyedRequest, type RenderedResponse } from './idempotency';

const response: RenderedResponse = { status: 200, headers: {}, body: '{}' };
const keyed: KeyedRequest = {
  key: 'key',
  principal: { kind: 'apiKey', customerId: 'customer' as CustomerId, keyId: 'id' },
  operation: 'operation',
  variables: {},
  requestId: 'request',
};
const log = pino({ level: 'silent' });

/** A store whose first ends of requests fail. */
function storeThatFails(failures: readonly Error[], lockMs = 60_000) {
  const ended: string[] = [];
  const left = [...failures];
  const end =
    (name: string) =>
    ({ claim }: ClaimedRequest): Promise<void> => {
      const failure = left.shift();
      if (failure !== undefined) return Promise.reject(failure);
      ended.push(`${name} ${claim}`);
      return Promise.resolve();
    };
  const idempotency: IdempotencyStore = {
    lockMs,
    begin: (request) => Promise.resolve({ outcome: 'started', claimed: { ...request, claim: 'of begin' } }),
    complete: end('complete'),
    abandon: end('abandon'),
  };
  return { deps: { idempotency, log }, ended, left };
}

const lost = () => new DatabaseConnectionError('lost');

describe('a request with an Idempotency-Key whose end is not stored because the database is lost', () => {
  it('gets its response at once, which is stored for repeated requests when the database is back', async () => {
    const { deps, ended } = storeThatFails([lost(), lost()]);
    expect(await executeOnce(deps, keyed, () => Promise.resolve(response))).toBe(response);
    expect(ended).toEqual([]);
    await until('the response is stored', () => ended.length > 0);
    expect(ended).toEqual(['complete of begin']);
  });

  it('gets its error at once, and its key is free again when the database is back', async () => {
    const { deps, ended } = storeThatFails([lost(), lost()]);
    await expect(executeOnce(deps, keyed, () => Promise.reject(lost()))).rejects.toThrow('lost');
    await until('the key is free', () => ended.length > 0);
    expect(ended).toEqual(['abandon of begin']);
  });

  it('leaves the key alone when another request may have taken it over', async () => {
    const { deps, left } = storeThatFails([lost(), lost(), lost()], 0);
    await executeOnce(deps, keyed, () => Promise.resolve(response));
    await new Promise(setImmediate);
    expect(left).toHaveLength(2);
  });
});

describe('a request with an Idempotency-Key whose execution throws synchronously', () => {
  it('gets the error, and its key is free again', async () => {
    const { deps, ended } = storeThatFails([]);
    const fail = (): RenderedResponse => {
      throw new RangeError('refused');
    };
    await expect(executeOnce(deps, keyed, fail)).rejects.toThrow('refused');
    expect(ended).toEqual(['abandon of begin']);
  });
});
