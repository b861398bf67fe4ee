import { toBaseUnits } from '../../../money/base-units';
import type { ProviderQuote, QuoteRequest, RouteLeg } from '../../quote-provider';
import { amountsWithSlippage } from '../../minimum-output';
import { splitsJson } from './stored-splits';
import type { RouteQuote } from './route-quote';
import type { TradePlan } from './search-plans';

const WHOLE_BPS = 10_000n;
const MILLION = 1_000_000n;

/** The quote of a plan. The amounts do not include gas. */
export function planQuote(provider: string, request: QuoteRequest, plan: TradePlan): ProviderQuote {
  const { splits, gas } = plan;
  const [amountIn, amountOut] = [totalAmount(splits, 'amountIn'), totalAmount(splits, 'amountOut')];
  return {
    provider,
    ...amountsWithSlippage(request, { amountIn: toBaseUnits(amountIn), amountOut: toBaseUnits(amountOut) }),
    route: legsOf(request, splits),
    priceImpactBps: impactOf(splits),
    gasLimit: gas,
    estimatedDurationSeconds: 15,
    execution: splitsJson(plan),
  };
}

export const totalAmount = (splits: readonly RouteQuote[], side: 'amountIn' | 'amountOut'): bigint =>
  splits.reduce((sum, split) => sum + split[side], 0n);

/** The legs of all splits; the shares of the splits add up to 10,000. */
function legsOf({ origin, side }: QuoteRequest, splits: readonly RouteQuote[]): readonly RouteLeg[] {
  const given = side === 'in' ? 'amountIn' : 'amountOut';
  const whole = totalAmount(splits, given);
  const shares = splits.map((split) => Number.parseInt(((split[given] * WHOLE_BPS) / whole).toString(), 10));
  const missing = 10_000 - shares.reduce((sum, share) => sum + share, 0);
  return splits.flatMap(({ route }, index) =>
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

/** Shortfall against the current prices of the pools over all splits, in basis points, pool fees excluded. */
function impactOf(splits: readonly RouteQuote[]): number {
  const atSpot = splits.reduce((sum, split) => sum + spotAmountOut(split), 0n);
  const shortfall = atSpot - totalAmount(splits, 'amountOut');
  return shortfall <= 0n ? 0 : Number.parseInt(((shortfall * WHOLE_BPS) / atSpot).toString(), 10);
}

function spotAmountOut({ route, amountIn }: RouteQuote): bigint {
  let [numerator, denominator] = [amountIn, 1n];
  for (const { depth } of route) {
    numerator *= depth.reserveOut * (MILLION - depth.fee);
    denominator *= depth.reserveIn * MILLION;
  }
  return numerator / denominator;
}
