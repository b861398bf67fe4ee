import fc from 'fast-check';
import type { Address } from 'viem';
import { constantProductHops, type HopState } from '../../../pools/hop-state';
import { poolKey } from '../../../pools/pool';
import { quoteRoute } from './route-quote';
import { poolGraph } from './pool-graph';
import { searchPlans, type PlanRequest } from './search-plans';
import { tokenPaths } from './token-paths';

const address = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`;
const [IN, OUT, LEFT, RIGHT] = [address(1), address(2), address(3), address(4)];
const FACTORY = address(9);

interface Reserves {
  readonly tokens: readonly [Address, Address];
  readonly balances: readonly [bigint, bigint];
}

/** Hops of constant-product pools; several pools may trade the same pair. */
const hopsOf = (pools: readonly Reserves[]): readonly HopState[] =>
  pools.flatMap(({ tokens: [one, other], balances }, index) => {
    const key = poolKey({ factory: FACTORY, fee: undefined }, one, other);
    const [reserve0, reserve1] = key.token0 === one ? balances : balances.toReversed();
    return constantProductHops({ ...key, address: address(100 + index) }, { reserve0: reserve0, reserve1: reserve1 });
  });

const planRequest = (amount: bigint, feePerGas = 0n): PlanRequest => ({
  side: 'in',
  amount,
  tokenIn: IN,
  tokenOut: OUT,
  connectors: [LEFT, RIGHT],
  nativeEnds: 0,
  gasConverter: (gas) => gas * feePerGas,
});

const balance = fc.bigInt({ min: 10n ** 9n, max: 10n ** 15n });
const pairs = [
  ...([[IN, OUT] as const, [IN, LEFT] as const, [LEFT, OUT] as const] as const),
  ...([[IN, RIGHT] as const, [RIGHT, OUT] as const, [LEFT, RIGHT] as const] as const),
];
const pools = fc.array(fc.record({ tokens: fc.constantFrom(...pairs), balances: fc.tuple(balance, balance) }), {
  minLength: 1,
  maxLength: 12,
});
const trade = fc.record({
  pools,
  amount: fc.bigInt({ min: 1n, max: 10n ** 14n }),
  feePerGas: fc.constantFrom(0n, 1n, 100n, 10_000n),
});

describe('the best trade', () => {
  it('is never worse than the best single path after gas', () => {
    fc.assert(
      fc.property(trade, ({ pools: reserves, amount, feePerGas }) => {
        const { best, single } = searchPlans(poolGraph(hopsOf(reserves)), planRequest(amount, feePerGas));
        if (single !== undefined) expect(best!.net).toBeGreaterThanOrEqual(single.net);
      }),
    );
  });

  it('sends the whole amount over one to three splits without a common pool, each as the pools trade it', () => {
    let splitCount = 0;
    fc.assert(
      fc.property(trade, ({ pools: reserves, amount, feePerGas }) => {
        const { best } = searchPlans(poolGraph(hopsOf(reserves)), planRequest(amount, feePerGas));
        if (best === undefined) return;
        const { splits } = best;
        splitCount += splits.length > 1 ? 1 : 0;
        expect(splits.length).toBeLessThanOrEqual(3);
        expect(splits.reduce((sum, { amountIn }) => sum + amountIn, 0n)).toBe(amount);
        const crossings = splits.flatMap(({ route }) => route.map(({ pool }) => pool.address));
        expect(new Set(crossings).size).toBe(crossings.length);
        for (const split of splits) {
          const tokens = [split.route[0].tokenIn, ...split.route.map(({ tokenOut }) => tokenOut)];
          expect([tokens[0], tokens.at(-1)]).toEqual([IN, OUT]);
          expect(new Set(tokens).size).toBe(tokens.length);
          expect(tokens.length).toBeLessThanOrEqual(4);
          expect(quoteRoute(split.route, 'in', split.amountIn)).toEqual(split);
        }
      }),
    );
    expect(splitCount).toBeGreaterThan(5);
  });

  it('allocates between two pools at least as well as two hundred trials', () => {
    const reserves = fc.record({ balances: fc.tuple(balance, balance), share: fc.bigInt({ min: 1n, max: 50n }) });
    fc.assert(
      fc.property(reserves, balance, ({ balances: [reserveIn, balanceOut], share }, second) => {
        const ratio = (balanceOut * second) / reserveIn;
        fc.pre(ratio > 10n ** 9n);
        const hops = hopsOf([
          { tokens: [IN, OUT], balances: [reserveIn, balanceOut] },
          { tokens: [IN, OUT], balances: [second, ratio] },
        ]);
        const [one, other] = hops.filter(({ tokenIn }) => tokenIn === IN);
        const amount = (reserveIn * share) / 100n + 1000n;
        const { best } = searchPlans(poolGraph(hops), planRequest(amount));
        if (best === undefined) return;
        const paid = best.splits.reduce((sum, { amountOut }) => sum + amountOut, 0n);
        for (let part = 0n; part <= 200n; part += 1n) {
          const here = (amount * part) / 200n;
          const tried = one!.quoteExactIn(here)!.amount + other!.quoteExactIn(amount - here)!.amount;
          // The tolerance covers the last refinement step and the rounding of each split.
          expect(paid + tried / 10n ** 7n + 3n).toBeGreaterThanOrEqual(tried);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is not split when the gain is less than the gas of the additional split', () => {
    const twins = [1, 2].map(() => ({ tokens: [IN, OUT] as const, balances: [10n ** 15n, 10n ** 15n] as const }));
    const graph = poolGraph(hopsOf(twins));
    expect(searchPlans(graph, planRequest(10n ** 13n, 1n)).best!.splits).toHaveLength(2);
    expect(searchPlans(graph, planRequest(10n ** 13n, 10n ** 9n)).best!.splits).toHaveLength(1);
  });

  it('has a single split when gas cannot be converted', () => {
    const twins = [1, 2].map(() => ({ tokens: [IN, OUT] as const, balances: [10n ** 15n, 10n ** 15n] as const }));
    const request = { ...planRequest(10n ** 14n), gasConverter: undefined };
    expect(searchPlans(poolGraph(hopsOf(twins)), request).best!.splits).toHaveLength(1);
  });

  it('is undefined where no pools connect the tokens', () => {
    const hops = hopsOf([{ tokens: [IN, LEFT], balances: [10n ** 12n, 10n ** 12n] }]);
    expect(searchPlans(poolGraph(hops), planRequest(10n ** 6n))).toMatchObject({ best: undefined, routes: [] });
  });
});

describe('the paths between two tokens', () => {
  it('are direct, through one and through two different connectors', () => {
    expect(tokenPaths([LEFT, OUT, RIGHT], IN, OUT)).toEqual([
      [IN, OUT],
      [IN, LEFT, OUT],
      [IN, RIGHT, OUT],
      [IN, LEFT, RIGHT, OUT],
      [IN, RIGHT, LEFT, OUT],
    ]);
  });
});
