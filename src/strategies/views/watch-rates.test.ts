import { newCustomer } from '../../../test/actions/sample-action';
import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { serviceError } from '../../errors/service-error';
import { toUsdPrice } from '../../money/usd';
import type { LatestMarkets } from '../market/latest-markets';
import type { StoredMarket } from '../market/observation';
import { createRateFeed } from '../market/rate-feed';
import type { Strategy } from '../strategy';
import { type RateView, watchRates } from './watch-rates';

const RAY = 10n ** 27n;
const NAMES = ['one', 'two'];

function marketOf(strategyId: string, percent: bigint): StoredMarket {
  const at = new Date();
  const observation = {
    at,
    observedAt: at,
    blockNumber: 1n,
    sharePriceRay: RAY,
    yearlyRateRay: (RAY * percent) / 100n,
    tvl: 1_000_000n,
    liquidity: undefined,
    depositLimit: undefined,
    acceptsDeposits: true,
    allowsWithdrawals: true,
    usdE24: toUsdPrice(10n ** 24n),
  };
  const first = { at, sharePriceRay: RAY };
  const sums = { rateSumE18: 0n, rateSeconds: 0n };
  return { strategyId, chainId: 1, observation, base: undefined, first, ...sums, doubtful: undefined };
}

/** Two strategies, whose markets change by `set`. */
function world({ perCustomer = 2, total = 10, remindMs = 60_000 } = {}) {
  const byStrategy = new Map(NAMES.map((name) => [name, marketOf(name, 4n)]));
  const state = { version: 1, reads: 0, isDown: false, aheadMs: 0 };
  const markets: LatestMarkets = {
    read() {
      state.reads += 1;
      if (state.isDown) return Promise.reject(new Error('the database does not respond'));
      return Promise.resolve({ byStrategy, version: state.version });
    },
  };
  const { row, ...rest } = sampleStrategy('aave-v3');
  const strategies = new Map<string, Strategy>(NAMES.map((id) => [id, { ...rest, row: { ...row, id } }]));
  const log = { warn: jest.fn() };
  const deps = {
    strategies: {
      ready: () => Promise.resolve(),
      get(name: string) {
        const found = strategies.get(name.toLowerCase());
        if (found === undefined) throw serviceError('STRATEGY_NOT_FOUND', { strategyId: name });
        return found;
      },
    },
    markets,
    rateFeed: createRateFeed({ markets, log, pollMs: 5, remindMs, capacity: { perCustomer, total } }),
    now: () => new Date(Date.now() + state.aheadMs),
    findLimit: () => Promise.resolve(perCustomer),
  };
  const controllers: AbortController[] = [];
  const open = (strategyIds: readonly string[] = NAMES, customerId = newCustomer()) => {
    const controller = new AbortController();
    controllers.push(controller);
    return watchRates(deps, { customerId, strategyIds, signal: controller.signal });
  };
  return {
    state,
    log,
    open,
    set(name: string, percent: bigint) {
      byStrategy.set(name, marketOf(name, percent));
      state.version += 1;
    },
    close: () => controllers.forEach((controller) => controller.abort()),
  };
}

let current: ReturnType<typeof world>;
beforeEach(() => {
  current = world();
});
afterEach(() => current.close());

type Rates = AsyncGenerator<readonly RateView[]>;
const next = async (rates: Rates) =>
  ((await rates.next()).value as readonly RateView[]).map(({ strategyId, grossAPY = 0 }) => [
    strategyId,
    Math.round(grossAPY * 1000),
  ]);

describe('a subscription to rates', () => {
  it('has all strategies first, by any of their names and once each, then those that have changed', async () => {
    const rates = await current.open(['ONE', 'two', 'one']);
    expect(await next(rates)).toEqual([
      ['one', 41],
      ['two', 41],
    ]);
    const waiting = next(rates);
    current.set('two', 10n);
    expect(await waiting).toEqual([['two', 105]]);
    current.set('one', 5n);
    expect(await next(rates)).toEqual([['one', 51]]);
  });

  it('says once that a market is stale which is read no more, and that it is read again', async () => {
    current = world({ remindMs: 1 });
    const flagsIn = async (event: ReturnType<Rates['next']>) =>
      ((await event).value as readonly RateView[]).map(({ strategyId, flags }) => [strategyId, flags]);
    const rates = await current.open();
    expect(await flagsIn(rates.next())).toEqual([
      ['one', []],
      ['two', []],
    ]);
    current.state.aheadMs = 16 * 60_000;
    expect(await flagsIn(rates.next())).toEqual([
      ['one', ['STALE']],
      ['two', ['STALE']],
    ]);
    const waiting = flagsIn(rates.next());
    const { reads } = current.state;
    while (current.state.reads < reads + 6) await new Promise((resolve) => setTimeout(resolve, 5));
    current.state.aheadMs = 0;
    current.set('one', 4n);
    expect((await waiting)[0]).toEqual(['one', []]);
  });

  it('shares one poll with all others of the process', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => current.open(['one'])));
    for (const rates of opened) await next(rates);
    const before = current.state.reads;
    const waiting = opened.map(next);
    current.set('one', 8n);
    await Promise.all(waiting);
    // A poll that sees the change, those before it, and one reading in memory for each event.
    expect(current.state.reads - before).toBeLessThan(8 * 3);
  });

  it('gets its events after other work when there are many', async () => {
    current = world({ total: 20 });
    const opened = await Promise.all(Array.from({ length: 20 }, () => current.open(['one'])));
    for (const rates of opened) await next(rates);
    let turn = 0;
    const count = (): void => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const events = opened.map(async (rates) => {
      await next(rates);
      return turn;
    });
    current.set('one', 8n);
    expect(new Set(await Promise.all(events)).size).toBeGreaterThan(15);
    clearImmediate(counting);
  });

  it('goes on after a poll that failed', async () => {
    const rates = await current.open(['one']);
    await next(rates);
    const waiting = next(rates);
    current.state.isDown = true;
    while (current.log.warn.mock.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    current.state.isDown = false;
    current.set('one', 8n);
    expect(await waiting).toEqual([['one', 83]]);
  });

  it('is refused to a customer with too many, and to none because of another one; a closed one gives its place back', async () => {
    const customerId = newCustomer();
    const [first] = [await current.open(NAMES, customerId), await current.open(NAMES, customerId)].map((rates) => {
      void rates.next();
      return rates;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const third = await current.open(NAMES, customerId);
    await expect(third.next()).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 'rateWatches', maximum: 2 },
    });
    expect(await next(await current.open())).toHaveLength(2);
    await first!.return(undefined);
    expect(await next(await current.open(NAMES, customerId))).toHaveLength(2);
  });

  it('is refused without strategies, with too many, and for an unknown one', async () => {
    const tooMany = Array.from({ length: 101 }, () => 'one');
    for (const ids of [[], tooMany])
      await expect(current.open(ids)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(current.open(['three'])).rejects.toMatchObject({ code: 'STRATEGY_NOT_FOUND' });
  });

  it('ends with its request', async () => {
    const rates = await current.open();
    await next(rates);
    const waiting = rates.next();
    current.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
