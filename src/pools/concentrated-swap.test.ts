import fc from 'fast-check';
import { type ConcentratedState, concentratedQuoter } from './concentrated-swap';
import { sqrtPriceAtTick } from './tick-math';
import { outermostWords, type TickWindow, wordOf } from './tick-window';

const SPACINGS = { 1: 100n, 10: 500n, 60: 3000n, 200: 10_000n } as const;
const RANGE = 120_000;

interface Position {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

/** A pool with some positions and all its ticks loaded. */
const pool: fc.Arbitrary<ConcentratedState> = fc
  .record({
    tickSpacing: fc.constantFrom(1, 10, 60, 200),
    tick: fc.integer({ min: -50_000, max: 50_000 }),
    liquidity: fc.bigInt({ min: 10n ** 12n, max: 10n ** 22n }),
    others: fc.array(
      fc.record({
        ends: fc.uniqueArray(fc.integer({ min: -RANGE, max: RANGE }), { minLength: 2, maxLength: 2 }),
        liquidity: fc.bigInt({ min: 10n ** 9n, max: 10n ** 23n }),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ tickSpacing, tick, liquidity, others }) => {
    const aligned = (at: number): number => Math.floor(at / tickSpacing) * tickSpacing;
    const everywhere = { lower: aligned(-RANGE * 2), upper: aligned(RANGE * 2), liquidity };
    const positions = others.map(({ ends, liquidity: size }): Position => {
      const [lower, upper] = ends.toSorted((one, other) => one - other).map(aligned);
      return { lower: lower!, upper: Math.max(upper!, lower! + tickSpacing), liquidity: size };
    });
    return stateOf({ tickSpacing, tick }, [everywhere, ...positions]);
  });

function stateOf(
  { tickSpacing, tick }: { tickSpacing: number; tick: number },
  positions: readonly Position[],
): ConcentratedState {
  const nets = new Map<number, bigint>();
  for (const { lower, upper, liquidity } of positions) {
    nets.set(lower, (nets.get(lower) ?? 0n) + liquidity);
    nets.set(upper, (nets.get(upper) ?? 0n) - liquidity);
  }
  const ticks = [...nets].map(([at, liquidityNet]) => ({ tick: at, liquidityNet })).sort((a, b) => a.tick - b.tick);
  const active = positions.filter(({ lower, upper }) => lower <= tick && tick < upper);
  return {
    sqrtPriceX96: sqrtPriceAtTick(tick) + 1n,
    tick,
    tickSpacing,
    liquidity: active.reduce((sum, { liquidity }) => sum + liquidity, 0n),
    fee: SPACINGS[tickSpacing as keyof typeof SPACINGS],
    window: { ...outermostWords(tickSpacing), ticks },
  };
}

/** The same pool with only the words around the price loaded. */
function partlyLoaded(state: ConcentratedState, radius: number): ConcentratedState {
  const current = wordOf(state);
  const window: TickWindow = { lowestWord: current - radius, highestWord: current + radius, ticks: state.window.ticks };
  return { ...state, window };
}

const MUCH = 10n ** 9n;
const tokenIn = fc.constantFrom('token0' as const, 'token1' as const);
const amount = fc
  .record({ digits: fc.integer({ min: 0, max: 22 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);

describe('a concentrated pool', () => {
  it('never pays more for a smaller input, nor more than double for twice the input', () => {
    fc.assert(
      fc.property(pool, tokenIn, amount, (state, direction, given) => {
        const quoter = concentratedQuoter(state, direction);
        const [once, twice] = [quoter.quoteExactIn(given), quoter.quoteExactIn(2n * given)];
        if (once === undefined || twice === undefined) return;
        expect(twice.amount).toBeGreaterThanOrEqual(once.amount);
        // For small amounts the roundings of the steps exceed the price.
        if (given < MUCH || once.amount < MUCH) return;
        expect(twice.amount).toBeLessThanOrEqual((20_002n * once.amount) / 10_000n);
      }),
    );
  });

  it('requires an input that buys the exact output, and no more than an input that bought it', () => {
    fc.assert(
      fc.property(pool, tokenIn, amount, (state, direction, exactOut) => {
        const quoter = concentratedQuoter(state, direction);
        const required = quoter.quoteExactOut(exactOut);
        if (required === undefined) return;
        const paid = quoter.quoteExactIn(required.amount);
        expect(paid === undefined || paid.amount + 1n + roundings(paid.crossings) >= exactOut).toBe(true);
        const sold = quoter.quoteExactIn(exactOut);
        if (sold === undefined || sold.amount === 0n) return;
        expect(quoter.quoteExactOut(sold.amount)!.amount).toBeLessThanOrEqual(exactOut);
      }),
    );
  });

  it('quotes no worse than the whole pool while only the ticks around its price are loaded', () => {
    fc.assert(
      fc.property(pool, tokenIn, fc.tuple(amount, fc.nat(3)), (state, direction, [given, radius]) => {
        const [whole, part] = [state, partlyLoaded(state, radius)].map((each) => concentratedQuoter(each, direction));
        const [sold, expected] = [whole!.quoteExactIn(given), part!.quoteExactIn(given)];
        const [required, estimated] = [whole!.quoteExactOut(given), part!.quoteExactOut(given)];
        if (expected?.exact === true) expect(expected).toEqual(sold);
        else expect(expected!.amount).toBeGreaterThanOrEqual(sold?.amount ?? 0n);
        if (estimated?.exact === true) expect(estimated).toEqual(required);
        else if (required !== undefined) expect(estimated!.amount).toBeLessThanOrEqual(required.amount);
      }),
    );
  });

  it('gives the same quote whatever was quoted before', () => {
    fc.assert(
      fc.property(
        pool,
        tokenIn,
        fc.tuple(fc.array(amount, { maxLength: 5 }), amount),
        (state, direction, [before, given]) => {
          const used = concentratedQuoter(state, direction);
          for (const each of before) used.quoteExactIn(each);
          expect(used.quoteExactIn(given)).toEqual(concentratedQuoter(state, direction).quoteExactIn(given));
          expect(used.quoteExactOut(given)).toEqual(concentratedQuoter(state, direction).quoteExactOut(given));
        },
      ),
    );
  });
});

const roundings = ({ ticks, words }: { ticks: number; words: number }): bigint => BigInt(ticks + words);
