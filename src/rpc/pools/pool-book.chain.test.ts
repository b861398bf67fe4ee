import fc from 'fast-check';
import { parseAbi } from 'viem';
import { POOLS } from '../../../devnet/liquidity';
import { type FaultyUpstream, startFaultyUpstream } from '../../../test/contract/faulty-upstream';
import { localToken, rpcOf } from '../../../test/contract/local-swaps';
import { chainNamed, type TestUniverse, universeOfTests } from '../../../test/setup/universe-of-tests';
import { contractRead } from '../contract-read';
import type { LiveHop } from './live-hop';
import { type Pool, poolKey } from './pool';
import { createPoolBook } from './pool-book';
import { createPoolDirectory } from './pool-directory';

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
const forever = new AbortController().signal;
const chainOf = () => chainNamed(universe, 'devnet');
const newRpc = () => rpcOf([chainOf()], { devnet: upstream.url });

beforeAll(async () => {
  universe = await universeOfTests();
  const chain = chainOf();
  upstream = await startFaultyUpstream(chain.rpcUrl);
  const keys = POOLS.devnet.map(({ base, quote, fee }) => {
    const factory = fee === undefined ? chain.uniswapV2.factory : chain.uniswapV3.factory;
    const [one, other] = [base, quote].map((symbol) => localToken(chain, symbol).address as `0x${string}`);
    return poolKey({ factory, fee }, one!, other!);
  });
  pools = await createPoolDirectory({ rpc: newRpc() }).locate(chain.chainId, keys);
});
afterAll(() => upstream.close());
afterEach(() => upstream.suffer(undefined));

/** Every magnitude as likely as the next. */
const amount = fc
  .record({ digits: fc.integer({ min: 0, max: 25 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);

describe('a page of the newest block', () => {
  it('swaps in memory as the pools of the chain do, in both directions and on both sides, to the wei', async () => {
    const rpc = newRpc();
    const { chainId, uniswapV3 } = chainOf();
    const book = createPoolBook({ rpc });
    const concentrated = pools.filter(({ fee }) => fee !== undefined);
    let [exact, crossing, widened] = [0, 0, 0];
    const quoted = async ({ tokenIn, tokenOut, pool }: LiveHop, side: 'sell' | 'buy', given: bigint) => {
      const params = { tokenIn, tokenOut, fee: pool.fee!, sqrtPriceLimitX96: 0n };
      const read =
        side === 'sell'
          ? contractRead({
              ...{ address: uniswapV3.quoter, abi: quoterV2, functionName: 'quoteExactInputSingle' },
              args: [{ ...params, amountIn: given }],
            })
          : contractRead({
              ...{ address: uniswapV3.quoter, abi: quoterV2, functionName: 'quoteExactOutputSingle' },
              args: [{ ...params, amount: given }],
            });
      const [answer] = await rpc.multicall(chainId, [read]);
      return answer === undefined || PRICE_LIMITS.includes(answer[1]) ? undefined : answer;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.nat(concentrated.length - 1),
        fc.nat(1),
        fc.constantFrom('sell' as const, 'buy' as const),
        amount,
        async (index, way, side, given) => {
          const page = await book.newest(chainId, forever);
          const pool = concentrated[index]!;
          let hop = (await page.hops([pool], forever))[way]!;
          const expected = await quoted(hop, side, given);
          let fill = hop[side](given);
          for (let round = 0; fill?.exact === false && round < 6; round += 1) {
            // What leaves the known ticks is better than what it comes to.
            if (side === 'sell') expect(fill.amount).toBeGreaterThanOrEqual(expected?.[0] ?? 0n);
            else if (expected !== undefined) expect(fill.amount).toBeLessThanOrEqual(expected[0]);
            await page.widen([pool], forever);
            hop = (await page.hops([pool], forever))[way]!;
            fill = hop[side](given);
            widened += 1;
          }
          expect(fill?.amount).toBe(expected?.[0]);
          if (fill === undefined) return;
          exact += 1;
          if (fill.passed.ticks > 0) crossing += 1;
        },
      ),
      { numRuns: 600 },
    );
    console.log(exact, crossing, widened);
    expect(exact).toBeGreaterThan(300);
    expect(crossing).toBeGreaterThan(20);
    expect(widened).toBeGreaterThan(5);
  });
});
