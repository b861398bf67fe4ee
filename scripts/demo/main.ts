import { formatBaseUnits } from '../../src/money/base-units';
import { InvariantError } from '../../src/errors/invariant-error';
import { createApiClient } from './api-client';
import type { DemoSwap } from './demo-swap';
import { findEmbeddedService } from './embedded-service';
import { swapThroughGraphql } from './swap-through-graphql';
import { swapThroughRest } from './swap-through-rest';
import type { Progress } from './follow-action';
import { createDemoWallet } from './wallet';

const CHAIN = { slug: 'devnet', chainId: 31_337 };
const EXPECTED = 'INITIAL → PENDING → SUCCESS';

async function runSwap(name: string, { swap, demo }: { swap: typeof swapThroughRest; demo: DemoSwap }): Promise<void> {
  const { wallet, pair } = demo;
  const before = await wallet.balanceOf(pair.tokenOut);
  const progress: readonly Progress[] = await swap(demo);
  const received = (await wallet.balanceOf(pair.tokenOut)) - before;
  console.log(`  received ${formatBaseUnits(received, pair.decimalsOut)} ${pair.symbolOut}`);
  const path = [...new Set(progress.map(({ status }) => status))].join(' → ');
  if (path !== EXPECTED || received <= 0n) throw new InvariantError(`${name}: expected ${EXPECTED}, saw ${path}`);
  console.log(`  ${path}`);
}

async function main(): Promise<void> {
  const service = await findEmbeddedService();
  const customer = service.customers.find(({ name }) => name === 'demo');
  const tokens = service.chains.find(({ slug }) => slug === CHAIN.slug)?.tokens;
  const [tokenIn, tokenOut] = [tokens?.['USDC'], tokens?.['WETH']];
  if (customer === undefined || tokenIn === undefined || tokenOut === undefined) {
    throw new InvariantError('the embedded service lacks the demo customer or its tokens');
  }
  const demo: DemoSwap = {
    api: createApiClient(service.baseUrl, customer.apiKey),
    wallet: createDemoWallet(service, CHAIN.chainId),
    pair: { chain: CHAIN.slug, tokenIn, tokenOut, amountIn: '25000000', symbolOut: 'WETH', decimalsOut: 18 },
  };
  console.log(`Swapping 25 USDC to WETH on ${CHAIN.slug}, twice, as ${demo.wallet.address} at ${service.baseUrl}`);
  await runSwap('REST', { swap: swapThroughRest, demo });
  await runSwap('GraphQL', { swap: swapThroughGraphql, demo });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
