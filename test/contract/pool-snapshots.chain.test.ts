import fc from 'fast-check';
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseAbi,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { POOLS } from '../../devnet/liquidity';
import type { DevnetChain } from '../../devnet/universe';
import { type FaultyUpstream, startFaultyUpstream } from './faulty-upstream';
import { localToken, rpcOf } from './local-swaps';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { contractRead } from '../../src/rpc/contract-read';
import type { HopState } from '../../src/pools/hop-state';
import { type Pool, poolKey } from '../../src/pools/pool';
import { createPoolSnapshots } from '../../src/pools/pool-snapshots';
import { createPoolDirectory } from '../../src/pools/pool-directory';
import { TEST_SEED } from '../setup/seed';

const quoterV2 = parseAbi([
  'struct In { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'struct Out { address tokenIn; address tokenOut; uint256 amount; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(In params) returns (uint256 amount, uint160 price, uint32 crossed, uint256)',
  'function quoteExactOutputSingle(Out params) returns (uint256 amount, uint160 price, uint32 crossed, uint256)',
]);
const PRICE_LIMITS = [4_295_128_740n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n];

let universe: TestUniverse;
let upstream: FaultyUpstream;
let pools: readonly Pool[];
/** A new signal that never aborts. */
const forever = () => new AbortController().signal;
const chainOf = () => chainNamed(universe, 'devnet');
const newRpc = () => rpcOf([chainOf()], { devnet: upstream.url });
let rpc: ReturnType<typeof newRpc>;

beforeAll(async () => {
  universe = await universeOfTests();
  const chain = chainOf();
  upstream = await startFaultyUpstream(chain.rpcUrl);
  const keys = POOLS.devnet.map(({ base, quote, fee }) => {
    const factory = fee === undefined ? chain.uniswapV2.factory : chain.uniswapV3.factory;
    const [one, other] = [base, quote].map((symbol) => localToken(chain, symbol).address as `0x${string}`);
    return poolKey({ factory, fee }, one!, other!);
  });
  rpc = newRpc();
  pools = await createPoolDirectory({ rpc }).locate(chain.chainId, keys);
});
afterAll(() => upstream.close());
afterEach(() => upstream.injectFault(undefined));

/** Amounts with a uniform distribution of magnitudes. */
const amount = fc
  .record({ digits: fc.integer({ min: 0, max: 25 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);
const swap = fc.record({
  index: fc.nat(99),
  direction: fc.nat(1),
  side: fc.constantFrom('quoteExactIn' as const, 'quoteExactOut' as const),
  given: amount,
});
type Swap = typeof swap extends fc.Arbitrary<infer Value> ? Value : never;

/** Result of QuoterV2; `undefined` when the pool cannot fill the whole amount. */
async function quoted({ tokenIn, tokenOut, pool }: HopState, { side, given }: Swap): Promise<bigint | undefined> {
  const { chainId, uniswapV3 } = chainOf();
  const params = { tokenIn, tokenOut, fee: pool.fee!, sqrtPriceLimitX96: 0n };
  const call = { address: uniswapV3.quoter, abi: quoterV2 };
  const read =
    side === 'quoteExactIn'
      ? contractRead({ ...call, functionName: 'quoteExactInputSingle', args: [{ ...params, amountIn: given }] })
      : contractRead({ ...call, functionName: 'quoteExactOutputSingle', args: [{ ...params, amount: given }] });
  const [result] = await rpc.multicall(chainId, [read]);
  return result === undefined || PRICE_LIMITS.includes(result[1]) ? undefined : result[0];
}

/** A quote that leaves the loaded ticks is never worse than the exact one. */
function expectOptimistic(estimated: bigint, expected: bigint | undefined, side: Swap['side']): void {
  if (side === 'quoteExactIn') expect(estimated).toBeGreaterThanOrEqual(expected ?? 0n);
  else if (expected !== undefined) expect(estimated).toBeLessThanOrEqual(expected);
}

describe('a snapshot of the latest block', () => {
  const counts = { filled: 0, crossing: 0, widened: 0 };
  const parts = [1, 2, 3, 4, 5];

  it.each(parts)(
    'quotes in memory exactly as the pools on chain, in both directions and on both sides (%i)',
    async (part) => {
      const snapshots = createPoolSnapshots({ rpc: newRpc() });
      const concentrated = pools.filter(({ fee }) => fee !== undefined);
      await fc.assert(
        fc.asyncProperty(swap, async (each) => {
          const snapshot = await snapshots.latest(chainOf().chainId, forever());
          const pool = concentrated[each.index % concentrated.length]!;
          const hop = async () => (await snapshot.hops([pool], forever()))[each.direction]!;
          const expected = await quoted(await hop(), each);
          let quote = (await hop())[each.side](each.given);
          while (quote?.exact === false) {
            expectOptimistic(quote.amount, expected, each.side);
            await snapshot.widen([pool], forever());
            quote = (await hop())[each.side](each.given);
            counts.widened += 1;
          }
          expect(quote?.amount).toBe(expected);
          counts.filled += quote === undefined ? 0 : 1;
          counts.crossing += quote !== undefined && quote.crossings.ticks > 0 ? 1 : 0;
        }),
        { numRuns: 30, seed: TEST_SEED + part },
      );
    },
  );

  it('was compared for trades that are filled, that cross ticks, and that need more ticks', () => {
    expect(counts.filled).toBeGreaterThan(60);
    expect(counts.crossing).toBeGreaterThan(3);
    expect(counts.widened).toBeGreaterThan(3);
  });

  it('is read once for all callers of a block, for any number of pools', async () => {
    const snapshots = createPoolSnapshots({ rpc }); // it has confirmed the id of its chain before
    const { chainId } = chainOf();
    const before = upstream.requests();
    const latest = await Promise.all(Array.from({ length: 20 }, () => snapshots.latest(chainId, forever())));
    expect(upstream.requests() - before).toBe(1);
    expect(new Set(latest).size).toBe(1);
    const all = await Promise.all(latest.map((snapshot) => snapshot.hops(pools, forever())));
    // The state of the pools, their bitmap words, the liquidity of their ticks.
    expect(upstream.requests() - before).toBe(4);
    expect(all[0]).toHaveLength(2 * pools.length);
    for (const hops of all) expect(hops).toEqual(all[0]);
    await latest[0]!.hops(pools, forever());
    expect(upstream.requests() - before).toBe(4);
  });

  it('takes one call for pools of an earlier snapshot, and shows their new state', async () => {
    const snapshots = createPoolSnapshots({ rpc: newRpc() });
    const chain = chainOf();
    const older = await snapshots.latest(chain.chainId, forever());
    await older.hops(pools, forever());
    const revert = await snapshotOf(chain);
    const [pool] = pools.filter(({ fee }) => fee === undefined);
    const [before] = await older.hops([pool!], forever());
    await donate(chain, pool!);
    const requests = upstream.requests();
    const newer = await snapshots.latest(chain.chainId, forever());
    const hops = await newer.hops(pools, forever());
    expect(upstream.requests() - requests).toBe(2);
    expect(newer.blockNumber).toBeGreaterThan(older.blockNumber);
    const after = hops.find((hop) => hop.pool === pool && hop.tokenIn === before!.tokenIn);
    expect(after!.depth).not.toEqual(before!.depth);
    await revert();
  });

  it('can be abandoned by one caller without effect on the others, and is read again after a failure', async () => {
    const snapshots = createPoolSnapshots({ rpc: newRpc() });
    const { chainId } = chainOf();
    const snapshot = await snapshots.latest(chainId, forever());
    const [abandoned, kept] = [snapshot.hops(pools, AbortSignal.timeout(1)), snapshot.hops(pools, forever())];
    await expect(abandoned).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await kept).toHaveLength(2 * pools.length);
    const other = await createPoolSnapshots({ rpc: newRpc() }).latest(chainId, forever());
    upstream.injectFault('times out');
    const hanging = other.hops(pools, AbortSignal.timeout(50));
    await expect(hanging).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    upstream.injectFault(undefined);
    expect(await other.hops(pools, forever())).toHaveLength(2 * pools.length);
  });
});

/** Sends tokens to the pool and synchronises its reserves. */
async function donate(chain: DevnetChain, pool: Pool): Promise<void> {
  const account = privateKeyToAccount(universe.accounts[5]!.privateKey);
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const send = async (to: Address, data: Hex): Promise<void> => {
    const hash = await wallet.sendTransaction({ to, data, chain: null, gas: 500_000n });
    const { status } = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 10 });
    expect(status).toBe('success');
  };
  const args = [pool.address, 1_000_000n] as const;
  await send(pool.token0, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }));
  await send(pool.address, encodeFunctionData({ abi: parseAbi(['function sync()']) }));
}
