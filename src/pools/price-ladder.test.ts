import fc from 'fast-check';
import { type ConcentratedState, priceLadder } from './price-ladder';
import { sqrtPriceAtTick } from './tick-math';
import { outermostWords, type TickWindow, wordOf } from './tick-window';

const SPACINGS = { 1: 100n, 10: 500n, 60: 3000n, 200: 10_000n } as const;
const RANGE = 120_000;

interface Position {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

/** A pool with some positions, of which every tick is known. */
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

/** The same pool, of which only the words around the price are known. */
function shortSighted(state: ConcentratedState, radius: number): ConcentratedState {
  const here = wordOf(state);
  const window: TickWindow = { lowestWord: here - radius, highestWord: here + radius, ticks: state.window.ticks };
  return { ...state, window };
}

const MUCH = 10n ** 9n;
const sells = fc.constantFrom('token0' as const, 'token1' as const);
const amount = fc
  .record({ digits: fc.integer({ min: 0, max: 22 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);

describe('a concentrated pool', () => {
  it('never pays more for less, and never pays twice as much for twice as much', () => {
    fc.assert(
      fc.property(pool, sells, amount, (state, direction, given) => {
        const ladder = priceLadder(state, direction);
        const [once, twice] = [ladder.sell(given), ladder.sell(2n * given)];
        if (once === undefined || twice === undefined) return;
        expect(twice.amount).toBeGreaterThanOrEqual(once.amount);
        // Of small amounts the roundings at each stop are more than the price.
        if (given < MUCH || once.amount < MUCH) return;
        expect(twice.amount).toBeLessThanOrEqual((20_002n * once.amount) / 10_000n);
      }),
    );
  });

  it('asks for an amount that buys what is wanted, and for no more than what paid for it', () => {
    fc.assert(
      fc.property(pool, sells, amount, (state, direction, wanted) => {
        const ladder = priceLadder(state, direction);
        const asked = ladder.buy(wanted);
        if (asked === undefined) return;
        const paid = ladder.sell(asked.amount);
        expect(paid === undefined || paid.amount + 1n + roundings(paid.passed) >= wanted).toBe(true);
        const sold = ladder.sell(wanted);
        if (sold === undefined || sold.amount === 0n) return;
        expect(ladder.buy(sold.amount)!.amount).toBeLessThanOrEqual(wanted);
      }),
    );
  });

  it('promises no less than it does, while only the ticks around its price are known', () => {
    fc.assert(
      fc.property(pool, sells, fc.tuple(amount, fc.nat(3)), (state, direction, [given, radius]) => {
        const [whole, part] = [state, shortSighted(state, radius)].map((each) => priceLadder(each, direction));
        const [sold, expected] = [whole!.sell(given), part!.sell(given)];
        const [asked, wanted] = [whole!.buy(given), part!.buy(given)];
        if (expected?.exact === true) expect(expected).toEqual(sold);
        else expect(expected!.amount).toBeGreaterThanOrEqual(sold?.amount ?? 0n);
        if (wanted?.exact === true) expect(wanted).toEqual(asked);
        else if (asked !== undefined) expect(wanted!.amount).toBeLessThanOrEqual(asked.amount);
      }),
    );
  });

  it('gives the same whatever it was asked before', () => {
    fc.assert(
      fc.property(
        pool,
        sells,
        fc.tuple(fc.array(amount, { maxLength: 5 }), amount),
        (state, direction, [before, given]) => {
          const asked = priceLadder(state, direction);
          for (const each of before) asked.sell(each);
          expect(asked.sell(given)).toEqual(priceLadder(state, direction).sell(given));
          expect(asked.buy(given)).toEqual(priceLadder(state, direction).buy(given));
        },
      ),
    );
  });
});

const roundings = ({ ticks, words }: { ticks: number; words: number }): bigint => BigInt(ticks + words);
