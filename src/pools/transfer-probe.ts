import { LRUCache } from 'lru-cache';
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  multicall3Abi,
  parseAbi,
  size,
} from 'viem';
import { contractRead } from '../rpc/contract-read';
import { MULTICALL3 } from '../rpc/multicall';
import { isExecutionFailure } from '../rpc/rpc-failure';
import type { Rpc } from '../rpc/rpc';

/** A token and a pool that holds some of it. */
interface HeldToken {
  readonly chainId: number;
  readonly token: Address;
  readonly holder: Address;
}

/** Finds out whether a token arrives whole when a pool sends it and when a pool receives it. */
export interface TransferProbe {
  /**
   * False when the token takes a fee on transfers, refuses them, or the holder has none to try it with.
   * @throws PROVIDER_UNAVAILABLE when the chain could not be asked.
   */
  arrivesWhole(held: HeldToken, signal?: AbortSignal): Promise<boolean>;
}

/** Somebody who has never been seen on any chain. */
const STRANGER: Address = '0x7dcc5a1fd0a2c8f7a5b3f0c1d2e3f4a5b6c7d8e9';
const MAX_TOKENS = 10_000;
const WHOLE_FOR_MS = 600_000;
/** Tokens are paused and unpaused. */
const REFUSED_FOR_MS = 15_000;

// Tokens that return nothing from `transfer` are fine here: only balances are compared.
const token = parseAbi(['function transfer(address to, uint256 value)']);

export function createTransferProbe({ rpc }: { readonly rpc: Pick<Rpc, 'multicall' | 'ask'> }): TransferProbe {
  const verdicts = new LRUCache<string, boolean>({ max: MAX_TOKENS });
  const codes = new Map<number, Hex>();
  const codeOf = async (chainId: number): Promise<Hex> => {
    const known = codes.get(chainId);
    if (known !== undefined) return known;
    const code = (await rpc.ask(chainId, (client) => client.getCode({ address: MULTICALL3 }))) ?? '0x';
    codes.set(chainId, code);
    return code;
  };
  return {
    async arrivesWhole(held, signal) {
      const key = [held.chainId, held.token, held.holder].join(':');
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      const balance = await balanceOfHolder(rpc, held, signal);
      if (balance === 0n) return false;
      const verdict = await survivesRoundTrip(rpc, { held, balance, code: await codeOf(held.chainId) }, signal);
      verdicts.set(key, verdict, { ttl: verdict ? WHOLE_FOR_MS : REFUSED_FOR_MS });
      return verdict;
    },
  };
}

async function balanceOfHolder(
  rpc: Pick<Rpc, 'multicall'>,
  { chainId, token: address, holder }: HeldToken,
  signal: AbortSignal | undefined,
): Promise<bigint> {
  const read = contractRead({ address, abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  const [balance] = await rpc.multicall(chainId, [read], { signal });
  return balance ?? 0n;
}

interface Trial {
  readonly held: HeldToken;
  readonly balance: bigint;
  /** Runtime code of Multicall3. */
  readonly code: Hex;
}

/**
 * Sends a hundredth of what the pool holds to a stranger and back, in one eth_call. Both get the code of Multicall3
 * for its duration, which makes them call the token in their own name; nothing is signed and nothing stays.
 */
async function survivesRoundTrip(rpc: Pick<Rpc, 'ask'>, trial: Trial, signal?: AbortSignal): Promise<boolean> {
  const { chainId, holder } = trial.held;
  const overrides = { [holder]: { code: trial.code }, [STRANGER]: { code: trial.code } };
  const options = signal === undefined ? {} : { signal };
  const params = [{ to: holder, data: roundTrip(trial) }, 'latest', overrides];
  return rpc.ask(chainId, async (client) => {
    try {
      const answer: Hex = await client.request({ method: 'eth_call', params } as never, options);
      return balancesHold(trial, answer);
    } catch (error) {
      if (isExecutionFailure(error)) return false;
      throw error;
    }
  });
}

const attempted = ({ balance }: Trial): bigint => (balance + 99n) / 100n;

function roundTrip(trial: Trial): Hex {
  const { token: target, holder } = trial.held;
  const call = (to: Address, callData: Hex) => ({ target: to, allowFailure: true, callData });
  const batch = (calls: readonly ReturnType<typeof call>[]): Hex =>
    encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const balanceOf = (owner: Address) =>
    call(target, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }));
  const transfer = (to: Address) =>
    call(target, encodeFunctionData({ abi: token, functionName: 'transfer', args: [to, attempted(trial)] }));
  return batch([
    ...[balanceOf(holder), balanceOf(STRANGER)],
    transfer(STRANGER),
    ...[balanceOf(holder), balanceOf(STRANGER)],
    call(STRANGER, batch([transfer(holder)])),
    ...[balanceOf(holder), balanceOf(STRANGER)],
  ]);
}

function balancesHold(trial: Trial, answer: Hex): boolean {
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
  // A transfer that failed, or an answer that is not a number, is a balance that does not hold.
  const balance = (index: number): bigint => {
    const data = results[index]?.returnData ?? '0x';
    return size(data) === 32 ? BigInt(data) : -1n;
  };
  const amount = attempted(trial);
  const sent = balance(3) === balance(0) - amount && balance(4) === balance(1) + amount;
  return sent && balance(6) === balance(0) && balance(7) === balance(1);
}
