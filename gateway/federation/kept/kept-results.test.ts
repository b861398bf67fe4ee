import { createRequestContext } from '../../../src/auth/request-context';
import type { CustomerId, Principal } from '../../../src/auth/principal';
import type { OperationResult } from '../operation-result';
import { createKeptResults, type ResultVersion } from './kept-results';
import type { KeptSelection } from './kept-selection';

const { signal } = new AbortController();
const customer = (id: string): Principal => ({ kind: 'apiKey', customerId: id as CustomerId, keyId: `key of ${id}` });
const selection: KeptSelection = {
  id: 1,
  responseKey: 'wallet',
  requested: () => ({ root: { name: 'wallet', arguments: {} }, fields: [] }),
};

/** Kept results with the number of executions; each returns the next number. */
function scripted() {
  let executions = 0;
  const versionOf = jest.fn<Promise<ResultVersion | undefined>, []>();
  const is = (version: string | undefined, isDue = false) =>
    versionOf.mockResolvedValue(version === undefined ? undefined : { version, isDue });
  is('1');
  const executeKept = createKeptResults({ versionOf });
  const next = (): OperationResult => ({ data: { wallet: { number: (executions += 1) } } });
  const run = async (
    change: {
      readonly principal?: Principal;
      readonly variables?: Readonly<Record<string, unknown>>;
      readonly id?: number;
      readonly execute?: () => OperationResult | Promise<OperationResult>;
    } = {},
  ) => {
    const { principal = customer('a'), variables = { address: '0x1' }, id = 1, execute = next } = change;
    const context = createRequestContext({ requestId: 'r', principal, signal });
    const result = await executeKept({ selection: { ...selection, id }, variables, context, execute });
    return (result.data as { readonly wallet: { readonly number: number } } | undefined)?.wallet.number;
  };
  return { is, versionOf, run, next };
}

// Results are kept for a second, in which a test may not get the processor.
beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

describe('a kept result', () => {
  it('is returned while its version stays the same', async () => {
    const { is, run } = scripted();
    expect([await run(), await run()]).toEqual([1, 1]);
    is('2');
    expect([await run(), await run()]).toEqual([2, 2]);
    is('1');
    expect(await run()).toBe(3);
  });

  it('is never that of another principal, other variables or another operation', async () => {
    const { run } = scripted();
    const viewer = { kind: 'bearer', customerId: 'a' as CustomerId, subject: 's', role: 'viewer' } as const;
    const changes = [
      {},
      { principal: customer('b') },
      { principal: viewer },
      { principal: { ...viewer, role: 'admin' } as const },
      { variables: { address: '0x2' } },
      { variables: { address: '0x2', amount: 5n } },
      { id: 2 },
    ];
    for (const [index, change] of changes.entries()) expect(await run(change)).toBe(index + 1);
    for (const [index, change] of changes.entries()) expect(await run(change)).toBe(index + 1);
  });

  it('is at most a second old', async () => {
    const { run } = scripted();
    await run();
    jest.advanceTimersByTime(999);
    expect(await run()).toBe(1);
    jest.advanceTimersByTime(2);
    expect(await run()).toBe(2);
  });

  it('is executed once for each version, however many requests arrive at the same time', async () => {
    const { run } = scripted();
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => run())))).toEqual(new Set([1]));
  });

  it('is executed by one request while it is due, and returned to the others', async () => {
    const { is, run, next } = scripted();
    await run();
    is('1', true);
    let end: () => void = () => undefined;
    const held = run({ execute: () => new Promise<void>((resolve) => (end = resolve)).then(next) });
    await new Promise(setImmediate);
    expect([await run(), await run()]).toEqual([1, 1]);
    end();
    expect(await held).toBe(2);
  });

  it('is neither kept nor shared when it has errors', async () => {
    const { run } = scripted();
    const failed: OperationResult = { errors: [{ message: 'x', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] };
    const [first, second] = await Promise.all([run({ execute: () => Promise.resolve(failed) }), run()]);
    expect([first, second, await run()]).toEqual([undefined, 1, 1]);
  });

  it('is executed once more, by one of those that have waited, when the execution that they shared has failed', async () => {
    for (const failed of [() => Promise.reject(new TypeError('x')), () => Promise.resolve({ errors: [] })]) {
      const { run } = scripted();
      const first = run({ execute: failed }).catch(() => undefined);
      const others = await Promise.all([run(), run(), run()]);
      expect([await first, ...others]).toEqual([undefined, 1, 1, 1]);
    }
  });

  it('is not used without a version, when the version cannot be read, or with variables of any length', async () => {
    const { is, run, versionOf } = scripted();
    await run();
    is(undefined);
    expect(await run()).toBe(2);
    versionOf.mockRejectedValue(new TypeError('no database'));
    expect(await run()).toBe(3);
    is('1');
    const variables = { address: 'x'.repeat(3000) };
    expect([await run({ variables }), await run({ variables })]).toEqual([4, 5]);
  });
});
