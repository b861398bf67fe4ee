import fc from 'fast-check';
import type { Address } from 'viem';
import { constantProductHops, type LiveHop } from '../../../pools/live-hop';
import { poolKey } from '../../../pools/pool';
import { exchange } from './exchange';
import { marketOf } from './market';
import { search, type SearchQuestion } from './search';
import { tokenPaths } from './token-paths';

const address = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`;
const [IN, OUT, LEFT, RIGHT] = [address(1), address(2), address(3), address(4)];
const FACTORY = address(9);

interface Reserves {
  readonly tokens: readonly [Address, Address];
  /** What the pool holds of each token. */
  readonly stocks: readonly [bigint, bigint];
}

/** Constant-product pools, several of a pair if need be. */
const hopsOf = (pools: readonly Reserves[]): readonly LiveHop[] =>
  pools.flatMap(({ tokens: [one, other], stocks }, index) => {
    const key = poolKey({ factory: FACTORY, fee: undefined }, one, other);
    const [reserve0, reserve1] = key.token0 === one ? stocks : stocks.toReversed();
    return constantProductHops({ ...key, address: address(100 + index) }, { reserve0: reserve0, reserve1: reserve1 });
  });

const question = (amount: bigint, feePerGas = 0n): SearchQuestion => ({
  side: 'in',
  amount,
  tokenIn: IN,
  tokenOut: OUT,
  connectors: [LEFT, RIGHT],
  coins: 0,
  gasWorth: (gas) => gas * feePerGas,
});

const stock = fc.bigInt({ min: 10n ** 9n, max: 10n ** 15n });
const pairs = [
  ...([[IN, OUT] as const, [IN, LEFT] as const, [LEFT, OUT] as const] as const),
  ...([[IN, RIGHT] as const, [RIGHT, OUT] as const, [LEFT, RIGHT] as const] as const),
];
const pools = fc.array(fc.record({ tokens: fc.constantFrom(...pairs), stocks: fc.tuple(stock, stock) }), {
  minLength: 1,
  maxLength: 12,
});
const trade = fc.record({
  pools,
  amount: fc.bigInt({ min: 1n, max: 10n ** 14n }),
  feePerGas: fc.constantFrom(0n, 1n, 100n, 10_000n),
});

describe('the best trade', () => {
  it('is never worse than the best single path, gas taken off both', () => {
    fc.assert(
      fc.property(trade, ({ pools: reserves, amount, feePerGas }) => {
        const { best, single } = search(marketOf(hopsOf(reserves)), question(amount, feePerGas));
        if (single !== undefined) expect(best!.net).toBeGreaterThanOrEqual(single.net);
      }),
    );
  });

  it('sends the whole amount over one to three ways that share no pool, each as the pools would trade it', () => {
    let split = 0;
    fc.assert(
      fc.property(trade, ({ pools: reserves, amount, feePerGas }) => {
        const { best } = search(marketOf(hopsOf(reserves)), question(amount, feePerGas));
        if (best === undefined) return;
        const { ways } = best;
        split += ways.length > 1 ? 1 : 0;
        expect(ways.length).toBeLessThanOrEqual(3);
        expect(ways.reduce((sum, { amountIn }) => sum + amountIn, 0n)).toBe(amount);
        const passed = ways.flatMap(({ route }) => route.map(({ pool }) => pool.address));
        expect(new Set(passed).size).toBe(passed.length);
        for (const way of ways) {
          const tokens = [way.route[0].tokenIn, ...way.route.map(({ tokenOut }) => tokenOut)];
          expect([tokens[0], tokens.at(-1)]).toEqual([IN, OUT]);
          expect(new Set(tokens).size).toBe(tokens.length);
          expect(tokens.length).toBeLessThanOrEqual(4);
          expect(exchange(way.route, 'in', way.amountIn)).toEqual(way);
        }
      }),
    );
    expect(split).toBeGreaterThan(5);
  });

  it('divides between two pools at least as well as two hundred tries', () => {
    const reserves = fc.record({ stocks: fc.tuple(stock, stock), share: fc.bigInt({ min: 1n, max: 50n }) });
    fc.assert(
      fc.property(reserves, stock, ({ stocks: [stockIn, stockOut], share }, second) => {
        const ratio = (stockOut * second) / stockIn;
        fc.pre(ratio > 10n ** 9n);
        const hops = hopsOf([
          { tokens: [IN, OUT], stocks: [stockIn, stockOut] },
          { tokens: [IN, OUT], stocks: [second, ratio] },
        ]);
        const [one, other] = hops.filter(({ tokenIn }) => tokenIn === IN);
        const amount = (stockIn * share) / 100n + 1000n;
        const { best } = search(marketOf(hops), question(amount));
        if (best === undefined) return;
        const paid = best.ways.reduce((sum, { amountOut }) => sum + amountOut, 0n);
        for (let part = 0n; part <= 200n; part += 1n) {
          const here = (amount * part) / 200n;
          const tried = one!.sell(here)!.amount + other!.sell(amount - here)!.amount;
          // What the finest step leaves, and what is rounded in each way.
          expect(paid + tried / 10n ** 7n + 3n).toBeGreaterThanOrEqual(tried);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is not split for less than the further ways cost', () => {
    const twins = [1, 2].map(() => ({ tokens: [IN, OUT] as const, stocks: [10n ** 15n, 10n ** 15n] as const }));
    const market = marketOf(hopsOf(twins));
    expect(search(market, question(10n ** 13n, 1n)).best!.ways).toHaveLength(2);
    expect(search(market, question(10n ** 13n, 10n ** 9n)).best!.ways).toHaveLength(1);
  });

  it('is over a single path when nothing tells what gas is worth', () => {
    const twins = [1, 2].map(() => ({ tokens: [IN, OUT] as const, stocks: [10n ** 15n, 10n ** 15n] as const }));
    const asked = { ...question(10n ** 14n), gasWorth: undefined };
    expect(search(marketOf(hopsOf(twins)), asked).best!.ways).toHaveLength(1);
  });

  it('does not exist where no pools connect the tokens', () => {
    const hops = hopsOf([{ tokens: [IN, LEFT], stocks: [10n ** 12n, 10n ** 12n] }]);
    expect(search(marketOf(hops), question(10n ** 6n))).toMatchObject({ best: undefined, routes: [] });
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
