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
import { atMostEntries } from '../async/cache-size';
import { trustedTokens } from '../chains/trusted-tokens';
import type { Chain } from '../chains/chain';
import { contractRead } from '../rpc/contract-read';
import { MULTICALL3 } from '../rpc/multicall';
import { isExecutionFailure } from '../rpc/rpc-failure';
import type { Rpc } from '../rpc/rpc';

/** A token and a pool that holds it. */
interface HeldToken {
  readonly chainId: number;
  readonly token: Address;
  readonly holder: Address;
}

/** Detects fee-on-transfer tokens by simulating transfers from and to a pool. */
export interface TransferProbe {
  /**
   * False when the token charges a fee on transfers, rejects them, or the holder has no balance to test with.
   *
   * @throws PROVIDER_UNAVAILABLE
   */
  transfersInFull(held: HeldToken, signal?: AbortSignal): Promise<boolean>;
}

/** An unused address that receives the test transfer. */
const TEST_RECIPIENT: Address = '0x7dcc5a1fd0a2c8f7a5b3f0c1d2e3f4a5b6c7d8e9';
const MAX_TOKENS = 10_000;
const IN_FULL_TTL_MS = 600_000;
/** Short: a paused token may be unpaused at any time. */
const NOT_IN_FULL_TTL_MS = 15_000;

// Declared without a return value, as some tokens return none: only balances are compared.
const token = parseAbi(['function transfer(address to, uint256 value)']);

export function createTransferProbe({ rpc }: { readonly rpc: Pick<Rpc, 'multicall' | 'request'> }): TransferProbe {
  const results = new LRUCache<string, boolean>(atMostEntries(MAX_TOKENS));
  const codes = new Map<number, Hex>();
  const codeOf = async (chainId: number): Promise<Hex> => {
    const cached = codes.get(chainId);
    if (cached !== undefined) return cached;
    const code = (await rpc.request(chainId, (client) => client.getCode({ address: MULTICALL3 }))) ?? '0x';
    codes.set(chainId, code);
    return code;
  };
  return {
    async transfersInFull(held, signal) {
      const key = [held.chainId, held.token, held.holder].join(':');
      const cached = results.get(key);
      if (cached !== undefined) return cached;
      const balance = await balanceOfHolder(rpc, held, signal);
      if (balance === 0n) return false;
      const isInFull = await transfersBackInFull(rpc, { held, balance, code: await codeOf(held.chainId) }, signal);
      results.set(key, isInFull, { ttl: isInFull ? IN_FULL_TTL_MS : NOT_IN_FULL_TTL_MS });
      return isInFull;
    },
  };
}

/**
 * True when every token can be transferred in full from and to its pool, so that quoted amounts arrive undiminished.
 * The trusted tokens of a chain need no test.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function transferInFull(
  { probe, chain }: { readonly probe: TransferProbe; readonly chain: Chain },
  held: readonly { readonly token: Address; readonly holder: Address }[],
  signal: AbortSignal,
): Promise<boolean> {
  const anchors = trustedTokens(chain);
  const untrusted = held.filter(({ token }) => !anchors.has(token));
  const { chainId } = chain;
  const results = await Promise.all(untrusted.map((each) => probe.transfersInFull({ chainId, ...each }, signal)));
  return results.every((isInFull) => isInFull);
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

interface TransferTest {
  readonly held: HeldToken;
  readonly balance: bigint;
  /** Runtime code of Multicall3. */
  readonly code: Hex;
}

/**
 * Transfers a hundredth of the pool's balance to an unused address and back, in one eth_call. State overrides give both
 * addresses the code of Multicall3, so that each calls the token as `msg.sender`.
 */
async function transfersBackInFull(
  rpc: Pick<Rpc, 'request'>,
  test: TransferTest,
  signal?: AbortSignal,
): Promise<boolean> {
  const { chainId, holder } = test.held;
  const overrides = { [holder]: { code: test.code }, [TEST_RECIPIENT]: { code: test.code } };
  const options = signal === undefined ? {} : { signal };
  const params = [{ to: holder, data: roundTrip(test) }, 'latest', overrides];
  return rpc.request(chainId, async (client) => {
    try {
      const result: Hex = await client.request({ method: 'eth_call', params } as never, options);
      return balancesMatch(test, result);
    } catch (error) {
      if (isExecutionFailure(error)) return false;
      throw error;
    }
  });
}

const testAmount = ({ balance }: TransferTest): bigint => (balance + 99n) / 100n;

function roundTrip(test: TransferTest): Hex {
  const { token: target, holder } = test.held;
  const call = (to: Address, callData: Hex) => ({ target: to, allowFailure: true, callData });
  const batch = (calls: readonly ReturnType<typeof call>[]): Hex =>
    encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const balanceOf = (owner: Address) =>
    call(target, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }));
  const transfer = (to: Address) =>
    call(target, encodeFunctionData({ abi: token, functionName: 'transfer', args: [to, testAmount(test)] }));
  return batch([
    ...[balanceOf(holder), balanceOf(TEST_RECIPIENT)],
    transfer(TEST_RECIPIENT),
    ...[balanceOf(holder), balanceOf(TEST_RECIPIENT)],
    call(TEST_RECIPIENT, batch([transfer(holder)])),
    ...[balanceOf(holder), balanceOf(TEST_RECIPIENT)],
  ]);
}

function balancesMatch(test: TransferTest, result: Hex): boolean {
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: result });
  // A failed call gives -1, which matches no balance.
  const balance = (index: number): bigint => {
    const data = results[index]?.returnData ?? '0x';
    return size(data) === 32 ? BigInt(data) : -1n;
  };
  const amount = testAmount(test);
  const sent = balance(3) === balance(0) - amount && balance(4) === balance(1) + amount;
  return sent && balance(6) === balance(0) && balance(7) === balance(1);
}
