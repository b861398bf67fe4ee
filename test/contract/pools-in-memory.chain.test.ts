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
import type { LiveHop } from '../../src/rpc/pools/live-hop';
import { type Pool, poolKey } from '../../src/rpc/pools/pool';
import { createPoolBook } from '../../src/rpc/pools/pool-book';
import { createPoolDirectory } from '../../src/rpc/pools/pool-directory';

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
/** One for each caller. */
const forever = () => new AbortController().signal;
const chainOf = () => chainNamed(universe, 'devnet');
const newRpc = () => rpcOf([chainOf()], { devnet: upstream.url });
let asked: ReturnType<typeof newRpc>;

beforeAll(async () => {
  universe = await universeOfTests();
  const chain = chainOf();
  upstream = await startFaultyUpstream(chain.rpcUrl);
  const keys = POOLS.devnet.map(({ base, quote, fee }) => {
    const factory = fee === undefined ? chain.uniswapV2.factory : chain.uniswapV3.factory;
    const [one, other] = [base, quote].map((symbol) => localToken(chain, symbol).address as `0x${string}`);
    return poolKey({ factory, fee }, one!, other!);
  });
  asked = newRpc();
  pools = await createPoolDirectory({ rpc: asked }).locate(chain.chainId, keys);
});
afterAll(() => upstream.close());
afterEach(() => upstream.suffer(undefined));

/** Every magnitude as likely as the next. */
const amount = fc
  .record({ digits: fc.integer({ min: 0, max: 25 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);
const swap = fc.record({
  index: fc.nat(99),
  way: fc.nat(1),
  side: fc.constantFrom('sell' as const, 'buy' as const),
  given: amount,
});
type Swap = typeof swap extends fc.Arbitrary<infer Value> ? Value : never;

/** What the quoter of the venue says; `undefined` when the pool cannot fill the amount whole. */
async function quoted({ tokenIn, tokenOut, pool }: LiveHop, { side, given }: Swap): Promise<bigint | undefined> {
  const { chainId, uniswapV3 } = chainOf();
  const params = { tokenIn, tokenOut, fee: pool.fee!, sqrtPriceLimitX96: 0n };
  const call = { address: uniswapV3.quoter, abi: quoterV2 };
  const read =
    side === 'sell'
      ? contractRead({ ...call, functionName: 'quoteExactInputSingle', args: [{ ...params, amountIn: given }] })
      : contractRead({ ...call, functionName: 'quoteExactOutputSingle', args: [{ ...params, amount: given }] });
  const [answer] = await asked.multicall(chainId, [read]);
  return answer === undefined || PRICE_LIMITS.includes(answer[1]) ? undefined : answer[0];
}

/** What leaves the known ticks is better than what it comes to. */
function expectPromised(promised: bigint, expected: bigint | undefined, side: Swap['side']): void {
  if (side === 'sell') expect(promised).toBeGreaterThanOrEqual(expected ?? 0n);
  else if (expected !== undefined) expect(promised).toBeLessThanOrEqual(expected);
}

describe('a page of the newest block', () => {
  it('swaps in memory as the pools of the chain do, in both directions and on both sides, to the wei', async () => {
    const book = createPoolBook({ rpc: newRpc() });
    const concentrated = pools.filter(({ fee }) => fee !== undefined);
    const counts = { filled: 0, crossing: 0, widened: 0 };
    await fc.assert(
      fc.asyncProperty(swap, async (each) => {
        const page = await book.newest(chainOf().chainId, forever());
        const pool = concentrated[each.index % concentrated.length]!;
        const hop = async () => (await page.hops([pool], forever()))[each.way]!;
        const expected = await quoted(await hop(), each);
        let fill = (await hop())[each.side](each.given);
        while (fill?.exact === false) {
          expectPromised(fill.amount, expected, each.side);
          await page.widen([pool], forever());
          fill = (await hop())[each.side](each.given);
          counts.widened += 1;
        }
        expect(fill?.amount).toBe(expected);
        counts.filled += fill === undefined ? 0 : 1;
        counts.crossing += fill !== undefined && fill.passed.ticks > 0 ? 1 : 0;
      }),
      { numRuns: 150 },
    );
    expect(counts.filled).toBeGreaterThan(60);
    expect(counts.crossing).toBeGreaterThan(3);
    expect(counts.widened).toBeGreaterThan(3);
  });

  it('is read once for everybody who asks about the block, however many pools they ask about', async () => {
    const book = createPoolBook({ rpc: newRpc() });
    const { chainId } = chainOf();
    const before = upstream.requests();
    const pages = await Promise.all(Array.from({ length: 20 }, () => book.newest(chainId, forever())));
    expect(upstream.requests() - before).toBe(1);
    expect(new Set(pages).size).toBe(1);
    const all = await Promise.all(pages.map((page) => page.hops(pools, forever())));
    // Where the pools stand, which ticks are near, how much liquidity they bring.
    expect(upstream.requests() - before).toBe(4);
    expect(all[0]).toHaveLength(2 * pools.length);
    for (const hops of all) expect(hops).toEqual(all[0]);
    await pages[0]!.hops(pools, forever());
    expect(upstream.requests() - before).toBe(4);
  });

  it('takes one call for pools that were seen in an older block, and shows what has happened since', async () => {
    const book = createPoolBook({ rpc: newRpc() });
    const chain = chainOf();
    const older = await book.newest(chain.chainId, forever());
    await older.hops(pools, forever());
    const goBack = await snapshotOf(chain);
    const [pool] = pools.filter(({ fee }) => fee === undefined);
    const [before] = await older.hops([pool!], forever());
    await donate(chain, pool!);
    const requests = upstream.requests();
    const newer = await book.newest(chain.chainId, forever());
    const hops = await newer.hops(pools, forever());
    expect(upstream.requests() - requests).toBe(2);
    expect(newer.blockNumber).toBeGreaterThan(older.blockNumber);
    const after = hops.find((hop) => hop.pool === pool && hop.tokenIn === before!.tokenIn);
    expect(after!.depth).not.toEqual(before!.depth);
    await goBack();
  });

  it('is given up by one caller without harm to the others, and can be had again after a failure', async () => {
    const book = createPoolBook({ rpc: newRpc() });
    const { chainId } = chainOf();
    const page = await book.newest(chainId, forever());
    const [gone, stays] = [page.hops(pools, AbortSignal.timeout(1)), page.hops(pools, forever())];
    await expect(gone).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await stays).toHaveLength(2 * pools.length);
    const other = await createPoolBook({ rpc: newRpc() }).newest(chainId, forever());
    upstream.suffer('times out');
    const hanging = other.hops(pools, AbortSignal.timeout(50));
    await expect(hanging).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    upstream.suffer(undefined);
    expect(await other.hops(pools, forever())).toHaveLength(2 * pools.length);
  });
});

/** Gives the pool some of its tokens, and makes it notice. */
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
