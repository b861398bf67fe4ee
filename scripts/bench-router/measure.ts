import { createJsonRpc } from '../../devnet/json-rpc';
import type { DevnetChain } from '../../devnet/universe';
import { InvariantError } from '../../src/errors/invariant-error';
import { findPlan } from '../../src/venues/providers/afluente/afluente';
import { type PoolGraphDeps, openPoolGraph } from '../../src/venues/providers/afluente/pool-graph';
import type { TradePlan } from '../../src/venues/providers/afluente/search-plans';
import type { ReadSwapRouter } from '../../src/venues/providers/afluente/router-deployment';
import type { QuoteRequest } from '../../src/venues/quote-provider';
import { sameChainTrade } from '../../src/venues/same-chain-trade';

export interface RouterUnderTest extends PoolGraphDeps {
  readonly chain: DevnetChain;
  readonly readRouter: ReadSwapRouter;
  /** Price of a unit of gas in the comparison, in wei. */
  readonly feePerGas: bigint;
}

/** Result of one trade. Times in milliseconds. */
export interface Measured {
  readonly request: QuoteRequest;
  readonly best: TradePlan;
  readonly single: TradePlan;
  readonly searchMs: number;
  /** Includes reading the pools of a block that no earlier trade has read. */
  readonly wholeMs: number;
}

/** Each trade runs on a new block, so that no pool state of an earlier trade is cached. */
export async function measure(under: RouterUnderTest, request: QuoteRequest): Promise<Measured> {
  await createJsonRpc(under.chain.rpcUrl).call('evm_mine');
  const trade = sameChainTrade(request);
  const signal = AbortSignal.timeout(10_000);
  const router = await under.readRouter(request.origin, signal);
  if (trade === undefined || router === undefined) throw new InvariantError('not a trade of the local chain');
  const started = performance.now();
  const reader = await openPoolGraph(under, { trade, router }, signal);
  let searchMs = 0;
  for (;;) {
    const graph = await reader.read(signal);
    const searching = performance.now();
    const { best, single, unresolved } = findPlan(graph, { request, trade }, under.feePerGas);
    searchMs += performance.now() - searching;
    if (unresolved.length === 0) {
      if (best === undefined || single === undefined) throw new InvariantError(`no route for ${nameOf(request)}`);
      return { request, best, single, searchMs, wholeMs: performance.now() - started };
    }
    await reader.widen(unresolved, signal);
  }
}

export const nameOf = ({ amount, tokenIn, tokenOut }: QuoteRequest): string =>
  `${String(amount)} ${tokenIn.symbol} for ${tokenOut.symbol}`;
