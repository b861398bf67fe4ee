import { createJsonRpc } from '../../devnet/json-rpc';
import type { DevnetChain } from '../../devnet/universe';
import { InvariantError } from '../../src/errors/invariant-error';
import { findPlan } from '../../src/quotes/providers/afluente/afluente';
import { type MarketDeps, openMarket } from '../../src/quotes/providers/afluente/market';
import type { Plan } from '../../src/quotes/providers/afluente/search';
import type { FindVenue } from '../../src/quotes/providers/afluente/venue';
import type { QuoteRequest } from '../../src/quotes/quote-provider';
import { sameChainTrade } from '../../src/quotes/same-chain-trade';

export interface RouterUnderTest extends MarketDeps {
  readonly chain: DevnetChain;
  readonly findVenue: FindVenue;
  /** What a unit of gas costs in the comparison, in wei. */
  readonly feePerGas: bigint;
}

/** What became of one trade. Times in milliseconds. */
export interface Measured {
  readonly request: QuoteRequest;
  readonly best: Plan;
  readonly single: Plan;
  readonly searchMs: number;
  /** With reading the pools of a block that nobody has asked about before. */
  readonly wholeMs: number;
}

/** Each trade meets a new block, so that nothing of the pools is known from the trade before. */
export async function measure(under: RouterUnderTest, request: QuoteRequest): Promise<Measured> {
  await createJsonRpc(under.chain.rpcUrl).call('evm_mine');
  const trade = sameChainTrade(request);
  const signal = AbortSignal.timeout(10_000);
  const venue = await under.findVenue(request.origin, signal);
  if (trade === undefined || venue === undefined) throw new InvariantError('not a trade of the local chain');
  const started = performance.now();
  const reader = await openMarket(under, { trade, venue }, signal);
  let searchMs = 0;
  for (;;) {
    const market = await reader.read(signal);
    const searching = performance.now();
    const { best, single, vague } = findPlan(market, { request, trade }, under.feePerGas);
    searchMs += performance.now() - searching;
    if (vague.length === 0) {
      if (best === undefined || single === undefined) throw new InvariantError(`no route for ${nameOf(request)}`);
      return { request, best, single, searchMs, wholeMs: performance.now() - started };
    }
    await reader.widen(vague, signal);
  }
}

export const nameOf = ({ amount, tokenIn, tokenOut }: QuoteRequest): string =>
  `${String(amount)} ${tokenIn.symbol} for ${tokenOut.symbol}`;
