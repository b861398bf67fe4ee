import { toBaseUnits } from '../../../money/base-units';
import type { ProviderQuote, QuoteRequest, RouteLeg } from '../../quote-provider';
import { protectedAmounts } from '../../same-chain-trade';
import { executionOf } from './execution';
import type { Exchange } from './exchange';
import type { Plan } from './search';

const WHOLE_BPS = 10_000n;
const MILLION = 1_000_000n;

/** The quote of a plan. The amount out is what comes out: gas is not taken off it. */
export function quoteOfPlan(provider: string, request: QuoteRequest, plan: Plan): ProviderQuote {
  const { ways, gas } = plan;
  const [amountIn, amountOut] = [total(ways, 'amountIn'), total(ways, 'amountOut')];
  return {
    provider,
    ...protectedAmounts(request, { amountIn: toBaseUnits(amountIn), amountOut: toBaseUnits(amountOut) }),
    route: legsOf(request, ways),
    priceImpactBps: impactOf(ways),
    gasLimit: gas,
    estimatedDurationSeconds: 15,
    execution: executionOf(plan),
  };
}

export const total = (ways: readonly Exchange[], side: 'amountIn' | 'amountOut'): bigint =>
  ways.reduce((sum, way) => sum + way[side], 0n);

/** Leg by leg, way by way; the shares of the ways add up to the whole. */
function legsOf({ origin, side }: QuoteRequest, ways: readonly Exchange[]): readonly RouteLeg[] {
  const given = side === 'in' ? 'amountIn' : 'amountOut';
  const whole = total(ways, given);
  const shares = ways.map((way) => Number.parseInt(((way[given] * WHOLE_BPS) / whole).toString(), 10));
  const missing = 10_000 - shares.reduce((sum, share) => sum + share, 0);
  return ways.flatMap(({ route }, index) =>
    route.map(({ pool, tokenIn, tokenOut }) => ({
      protocol: pool.fee === undefined ? 'uniswap-v2' : 'uniswap-v3',
      chainId: origin.chainId,
      tokenIn,
      tokenOut,
      pool: pool.address,
      shareBps: (shares[index] ?? 0) + (index === 0 ? missing : 0),
    })),
  );
}

/** How much less comes out than at the current prices of the pools, way by way, their fees not counted. */
function impactOf(ways: readonly Exchange[]): number {
  const atSpot = ways.reduce((sum, way) => sum + spotAmountOut(way), 0n);
  const shortfall = atSpot - total(ways, 'amountOut');
  return shortfall <= 0n ? 0 : Number.parseInt(((shortfall * WHOLE_BPS) / atSpot).toString(), 10);
}

function spotAmountOut({ route, amountIn }: Exchange): bigint {
  let [numerator, denominator] = [amountIn, 1n];
  for (const { depth } of route) {
    numerator *= depth.reserveOut * (MILLION - depth.fee);
    denominator *= depth.reserveIn * MILLION;
  }
  return numerator / denominator;
}
