import type { ExecutableDeps } from '../../src/transactions/executable-swap';

/** A chain in memory: one sender with a balance and an allowance, and calls that succeed unless told otherwise. */
export interface FakeChain {
  balance: bigint;
  allowance: bigint;
  /** Why the last call of every trial fails; `undefined` when it does not. */
  revert: string | undefined;
  readonly rpc: ExecutableDeps['rpc'];
  reset(): void;
}

const PLENTY = 10n ** 30n;

export function fakeChain(): FakeChain {
  const chain: FakeChain = {
    ...{ balance: PLENTY, allowance: 0n, revert: undefined },
    rpc: {
      // One holding is asked for: its balance, then its allowance.
      multicall: () => Promise.resolve([chain.balance, chain.allowance] as never),
      simulate: (_, calls) =>
        Promise.resolve(
          calls.map((__, index) => {
            const fails = chain.revert !== undefined && index === calls.length - 1;
            return { ok: !fails, gasUsed: 100_000n, returnData: '0x', revertReason: fails ? chain.revert : undefined };
          }),
        ),
    },
    reset: () => Object.assign(chain, { balance: PLENTY, allowance: 0n, revert: undefined }),
  };
  return chain;
}
