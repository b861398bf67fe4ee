import { formatBaseUnits } from '../../src/money/base-units';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import type { DemoSwap } from './demo-swap';
import type { Progress } from './follow-action';
import { swapThroughGraphql } from './swap-through-graphql';
import { swapThroughRest } from './swap-through-rest';

/** A subscription that opens after the transactions were found misses the first of them. */
const EXPECTED = 'INITIAL → PENDING → SUCCESS';

/** Swaps on one chain, once through REST and once through GraphQL. */
export async function demonstrateSwap(demo: Demo): Promise<void> {
  const slug = 'devnet';
  const [tokenIn, tokenOut] = [demo.evmToken(slug, 'USDC'), demo.evmToken(slug, 'WETH')];
  const swap: DemoSwap = {
    api: demo.api,
    wallet: demo.wallet(slug),
    pair: { chain: slug, tokenIn, tokenOut, amountIn: '25000000', symbolOut: 'WETH', decimalsOut: 18 },
  };
  console.log(`Swapping 25 USDC to WETH on ${slug}, twice, as ${swap.wallet.address} at ${demo.service.baseUrl}`);
  await run('REST', { swap: swapThroughRest, demo: swap });
  await run('GraphQL', { swap: swapThroughGraphql, demo: swap });
}

async function run(name: string, { swap, demo }: { swap: typeof swapThroughRest; demo: DemoSwap }): Promise<void> {
  const { wallet, pair } = demo;
  const before = await wallet.balanceOf(pair.tokenOut);
  const progress: readonly Progress[] = await swap(demo);
  const received = (await wallet.balanceOf(pair.tokenOut)) - before;
  console.log(`  received ${formatBaseUnits(received, pair.decimalsOut)} ${pair.symbolOut}`);
  const path = [...new Set(progress.map(({ status }) => status))].join(' → ');
  if (!EXPECTED.endsWith(path) || received <= 0n)
    throw new InvariantError(`${name}: expected ${EXPECTED}, saw ${path}`);
  console.log(`  ${path}`);
}
