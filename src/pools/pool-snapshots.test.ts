import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Address } from 'viem';
import type { Pool } from './pool';
import { createPoolSnapshots } from './pool-snapshots';

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const POOL = { address: address('a'), token0: address('1'), token1: address('2') } as Pool;

/** A chain whose reads respond in the next turn of the event loop. */
const rpc = {
  async request<Result>(_chainId: number, send: (client: never) => Promise<Result>): Promise<Result> {
    const request = ({ method }: { readonly method: string }) =>
      Promise.resolve(method === 'eth_gasPrice' ? '0x1' : { number: '0x1', hash: '0x01' });
    await nextTurn();
    return send({ request } as never);
  },
  async multicall(_chainId: number, reads: readonly unknown[]) {
    await nextTurn();
    return reads.map(() => [10n ** 20n, 10n ** 20n]);
  },
};

describe.each(['hops', 'spotHops'] as const)('%s of a shared read', (method) => {
  it('resume each caller in a turn of the event loop of its own', async () => {
    const snapshot = await createPoolSnapshots({ rpc: rpc as never }).latest(1, new AbortController().signal);
    let turn = 0;
    const state = { isDone: false };
    const counting = (async () => {
      for (; !state.isDone; turn += 1) await nextTurn();
    })();
    const callers = Array.from({ length: 40 }, async () => {
      await snapshot[method]([POOL], new AbortController().signal);
      return turn;
    });
    const resumed = await Promise.all(callers);
    state.isDone = true;
    await counting;
    expect(new Set(resumed).size).toBe(40);
  });

  it('reject a caller whose signal aborted while others had their turns', async () => {
    const snapshot = await createPoolSnapshots({ rpc: rpc as never }).latest(1, new AbortController().signal);
    const controller = new AbortController();
    const others = Array.from({ length: 3 }, () => snapshot[method]([POOL], new AbortController().signal));
    const last = snapshot[method]([POOL], controller.signal);
    others[0]?.then(
      () => controller.abort(),
      () => undefined,
    );
    await expect(last).rejects.toThrow();
    await Promise.all(others);
  });
});
