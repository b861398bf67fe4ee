import { encodeAbiParameters, type Hex } from 'viem';
import type { SimulatedCall, SimulatedLog } from '../../src/rpc/simulate';
import type { ExecutableDeps } from '../../src/transactions/execution/executable';

/** A chain in memory: one sender with a balance and an allowance, and calls that succeed unless `revert` is set. */
export interface FakeChain {
  balance: bigint;
  allowance: bigint;
  /** Revert reason of the last call of every simulation; `undefined` when it succeeds. */
  revert: string | undefined;
  /** Loss of the first watched balance, and gain of the second. */
  takes: bigint;
  brings: bigint;
  /** Events of the last call. */
  logs: readonly SimulatedLog[];
  readonly rpc: ExecutableDeps['rpc'];
  reset(): void;
}

const PLENTY = 10n ** 30n;
const READS = ['0x70a08231', '0x4d2301cc']; // balanceOf(address), getEthBalance(address)
const START = { balance: PLENTY, allowance: 0n, revert: undefined, takes: 1n, brings: PLENTY, logs: [] };

const isRead = ({ data }: { data: Hex }): boolean => READS.includes(data.slice(0, 10));
const word = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);

export function fakeChain(): FakeChain {
  const chain: FakeChain = {
    ...START,
    rpc: {
      // Reads of holdings: all balances, then all allowances.
      multicall: (_, reads) =>
        Promise.resolve(
          reads.map((__, index) => (index < reads.length / 2 ? chain.balance : chain.allowance)) as never,
        ),
      simulate: (_, calls) => {
        const last = calls.findLastIndex((call) => !isRead(call));
        const outcomes = calls.map((call, index): SimulatedCall => {
          if (isRead(call)) return read(chain, calls.slice(0, index));
          const fails = chain.revert !== undefined && index === last;
          const logs = index === last ? chain.logs : [];
          return {
            ok: !fails,
            gasUsed: 100_000n,
            returnData: '0x',
            logs,
            revertReason: fails ? chain.revert : undefined,
          };
        });
        return Promise.resolve(outcomes);
      },
    },
    reset: () => Object.assign(chain, START),
  };
  return chain;
}

/** A balance: the reads before the calls are in the same order as the reads after them. */
function read(chain: FakeChain, before: readonly { data: Hex }[]): SimulatedCall {
  const calls = before.findIndex((call) => !isRead(call));
  const isAfter = calls !== -1;
  const position = isAfter ? before.slice(calls).filter(isRead).length : before.length;
  const change = position === 0 ? -chain.takes : chain.brings;
  const returnData = word(PLENTY + (isAfter ? change : 0n));
  return { ok: true, gasUsed: 1n, returnData, logs: [], revertReason: undefined };
}
