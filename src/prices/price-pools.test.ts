import type { Address } from 'viem';
import { numberToHex, pad } from 'viem';
import { KNOWN_CHAINS } from '../chains/known-chains';
import type { PoolKey } from '../pools/pool';
import type { Rpc } from '../rpc/rpc';
import { readPricePools } from './price-pools';

const ethereum = KNOWN_CHAINS.find(({ chainId }) => chainId === 1)!;
const chain = { ...ethereum, uniswapV3: undefined };
const ANCHOR: Address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const { signal } = new AbortController();
const addressOf = (index: number): Address => pad(numberToHex(index + 1), { size: 20 });
const pairsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ token: addressOf(index), anchor: ANCHOR }));

/** A node with a block for each call. `blockOf`: the block at which it executes a call. */
function nodeOf(blockOf: (requested: bigint | undefined, call: number) => bigint) {
  const requested: (bigint | undefined)[] = [];
  const multicall = (_: number, reads: readonly unknown[], options?: { readonly blockNumber?: bigint | undefined }) => {
    requested.push(options?.blockNumber);
    const block = blockOf(options?.blockNumber, requested.length);
    // The reserves show the block.
    const reserves = reads.slice(0, -2).map(() => [block, block, 0]);
    return Promise.resolve([...reserves, block, 1_700_000_000n + block]);
  };
  const pools = {
    locate: (_: number, keys: readonly PoolKey[]) =>
      Promise.resolve(keys.map((key, index) => ({ ...key, address: addressOf(100_000 + index) }))),
  };
  return {
    requested,
    deps: { rpc: { serves: () => true, multicall: multicall as unknown as Rpc['multicall'] }, pools },
  };
}

describe('the pools of many pairs', () => {
  it('are read at one block, in several calls', async () => {
    const { deps, requested } = nodeOf((block, call) => block ?? 100n + BigInt(call));
    const { pools, readAt } = await readPricePools(deps, { chain, pairs: pairsOf(1000), signal });
    expect(requested).toEqual([undefined, 101n, 101n]);
    expect(pools).toHaveLength(1000);
    expect(new Set(pools.map(({ depth }) => depth))).toEqual(new Set([101n]));
    expect(readAt).toBe(1_700_000_101);
  });

  it('are read again when a node has read some of them at another block', async () => {
    const { deps, requested } = nodeOf((block, call) => (call === 2 ? 200n : (block ?? 101n)));
    const { pools } = await readPricePools(deps, { chain, pairs: pairsOf(1000), signal });
    expect(new Set(pools.map(({ depth }) => depth))).toEqual(new Set([101n]));
    expect(requested).toEqual([undefined, 101n, 101n, 101n]);
  });

  it('are not priced when the node reads some of them at another block', async () => {
    const { deps } = nodeOf((_, call) => 100n + BigInt(call));
    await expect(readPricePools(deps, { chain, pairs: pairsOf(1000), signal })).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
    expect((await readPricePools(deps, { chain, pairs: pairsOf(3), signal })).pools).toHaveLength(3);
  });
});
