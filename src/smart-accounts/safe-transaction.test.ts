import fc from 'fast-check';
import { type Address, getAddress, type Hex, pad, type PublicClient, toEventSelector } from 'viem';
import { batchOf, executionOf, safeTransaction } from '../../test/actions/scripted-safe';
import { PROXY_CODE, PROXY_CREATION_CODE, SAFE, SAFE_MULTI_SENDS } from './safe-contracts';
import { decodeSafeTransaction, hasSafeExecuted, wasSafeAt } from './safe-transaction';

const [TOKEN, SOMEWHERE]: Address[] = [getAddress(`0x${'70'.repeat(20)}`), getAddress(`0x${'77'.repeat(20)}`)];
const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const call = fc.record({
  to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(hexOf(bytes))),
  data: fc.uint8Array({ maxLength: 300 }).map(hexOf),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
});

describe('the calldata of a transaction to a Safe', () => {
  it('decodes to its call', () => {
    fc.assert(fc.property(call, (only) => expect(decodeSafeTransaction(executionOf(only))).toEqual([only])));
  });

  it('decodes to the calls of its batch, with every recognised batch contract', () => {
    const batches = fc.array(call, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(batches, fc.constantFrom(...SAFE_MULTI_SENDS), (calls, to) => {
        expect(decodeSafeTransaction(executionOf({ to, data: batchOf(calls) }, 1))).toEqual(calls);
      }),
    );
  });

  it('is not decoded when the Safe runs the code of another contract, within a batch as well', () => {
    const calls = [{ to: TOKEN!, data: '0x01' as const }];
    expect(decodeSafeTransaction(executionOf({ to: SOMEWHERE!, data: batchOf(calls) }, 1))).toBeUndefined();
    const delegating = batchOf(calls, 1);
    expect(decodeSafeTransaction(executionOf({ to: SAFE.multiSendCallOnly, data: delegating }, 1))).toBeUndefined();
  });

  it('is not decoded when it is malformed or calls another function', () => {
    const batch = batchOf([{ to: TOKEN!, data: '0x0102' }]).slice(0, -66) as Hex;
    const cut = executionOf({ to: SAFE.multiSendCallOnly, data: batch }, 1);
    for (const data of ['0x', '0x6a761202', '0xa9059cbb', cut] as const)
      expect(decodeSafeTransaction(data)).toBeUndefined();
  });
});

describe('the outcome of a transaction to a Safe', () => {
  const logsOf = (...outcomes: readonly ('success' | 'failure')[]) =>
    outcomes.flatMap((outcome) => safeTransaction({ safe: SOMEWHERE!, calls: [], outcome }).logs ?? []) as never;

  it('is that of its last event, and of no event of another contract', () => {
    const executed = (logs: never, status: 'success' | 'reverted' = 'success') =>
      hasSafeExecuted({ status, logs }, SOMEWHERE!);
    expect(executed(logsOf('success'))).toBe(true);
    expect(executed(logsOf('failure'))).toBe(false);
    expect(executed(logsOf('success', 'failure'))).toBe(false);
    expect(executed(logsOf('failure', 'success'))).toBe(true);
    expect(executed([] as never)).toBe(false);
    expect(executed(logsOf('success'), 'reverted')).toBe(false);
    expect(hasSafeExecuted({ status: 'success', logs: logsOf('success') }, TOKEN!)).toBe(false);
  });

  it('has the topics of the contracts', () => {
    expect(toEventSelector('ExecutionSuccess(bytes32,uint256)')).toMatch(/^0x442e715f/);
    expect(toEventSelector('ExecutionFailure(bytes32,uint256)')).toMatch(/^0x23428b18/);
  });
});

describe('an account', () => {
  interface State {
    readonly code: Hex | undefined;
    readonly singleton: Address;
  }
  const genuine: State = { code: PROXY_CODE, singleton: SAFE.singleton };
  const client = (states: readonly [before: State, after: State]) =>
    ({
      getCode: ({ blockNumber }: { blockNumber: bigint }) => Promise.resolve(states[blockNumber === 9n ? 0 : 1].code),
      getStorageAt: ({ blockNumber }: { blockNumber: bigint }) =>
        Promise.resolve(pad(states[blockNumber === 9n ? 0 : 1].singleton)),
    }) as unknown as PublicClient;

  it('was a Safe when it had the code and a recognised singleton before and after the block', async () => {
    expect(await wasSafeAt(client([genuine, genuine]), SOMEWHERE!, 10n)).toBe(true);
    expect(PROXY_CREATION_CODE).toContain(PROXY_CODE.slice(2));
  });

  it.each<[string, State]>([
    ['no code', { ...genuine, code: undefined }],
    ['other code', { ...genuine, code: '0x6001' }],
    ['another singleton', { ...genuine, singleton: TOKEN! }],
  ])('was no Safe when it had %s at either time', async (_, state) => {
    expect(await wasSafeAt(client([state, genuine]), SOMEWHERE!, 10n)).toBe(false);
    expect(await wasSafeAt(client([genuine, state]), SOMEWHERE!, 10n)).toBe(false);
  });
});
