import { RAY } from '../../../test/strategies/scripted-catalog';
import { acceptObservation } from './accept-observation';
import { presentYield } from './yields';
import type { BasePoint, MarketObservation, StoredMarket } from './observation';

const BEGIN = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(BEGIN + seconds * 1000);
const HOUR = 3600;

const observed = (seconds: number, change: Partial<MarketObservation> = {}): MarketObservation => ({
  at: at(seconds),
  blockNumber: BigInt(seconds),
  observedAt: at(seconds),
  sharePriceRay: RAY,
  yearlyRateRay: undefined,
  tvl: 1000n,
  liquidity: undefined,
  depositLimit: undefined,
  acceptsDeposits: true,
  allowsWithdrawals: true,
  usdE24: undefined,
  ...change,
});

/** Offers observations one after the other, and returns what is stored after each. */
function offer(observations: readonly MarketObservation[], base?: BasePoint) {
  let stored: StoredMarket | undefined;
  return observations.map((observation) => {
    const acceptance = acceptObservation(stored, { strategyId: 'x', chainId: 1, observation, base });
    stored = acceptance?.store ?? stored;
    return { stored: stored!, isSample: acceptance?.isSample };
  });
}

describe('an observation of a market', () => {
  it('is accepted when it is the first one, or later than the last one', () => {
    const results = offer([
      observed(0),
      observed(300, { tvl: 1001n }),
      observed(300, { tvl: 5n }),
      observed(200, { observedAt: at(301) }),
    ]);
    expect(results.map(({ isSample }) => isSample)).toEqual([true, true, undefined, undefined]);
    expect(results.at(-1)!.stored.observation.tvl).toBe(1001n);
  });

  it.each<[string, Partial<MarketObservation>]>([
    ['deposits', { tvl: 5001n }],
    ['fallen deposits', { tvl: 199n }],
    ['share price', { sharePriceRay: 6n * RAY }],
    ['rate', { yearlyRateRay: 1n }],
  ])('that differs more than five times in its %s is shown when the next one confirms it', (_, change) => {
    const [, doubtful, again, confirmed] = offer([
      observed(0),
      observed(300, change),
      observed(300, change),
      observed(600, change),
    ]);
    expect(doubtful).toMatchObject({
      isSample: false,
      stored: { doubtful: { at: at(300) }, observation: observed(0) },
    });
    // The same block has no new values.
    expect(again!.isSample).toBeUndefined();
    expect(confirmed).toMatchObject({ isSample: true, stored: { doubtful: undefined, observation: change } });
  });

  it('that differs five times is accepted, and one that is not confirmed is forgotten', () => {
    expect(offer([observed(0), observed(300, { tvl: 5000n })])[1]!.isSample).toBe(true);
    const [, , back, later] = offer([
      observed(0),
      observed(300, { tvl: 1n }),
      observed(600),
      observed(900, { tvl: 1n }),
    ]);
    expect(back).toMatchObject({ isSample: true, stored: { doubtful: undefined } });
    expect(later).toMatchObject({ isSample: false });
  });

  it('that differs from the accepted and from the doubtful one confirms neither, and is the new doubtful one', () => {
    const offered = [1000n, 9000n, 90_000n, 10n, 11n].map((tvl, index) => observed(index * 300, { tvl }));
    const results = offer(offered);
    expect(results.map(({ isSample }) => isSample)).toEqual([true, false, false, false, true]);
    expect(results.map(({ stored }) => stored.doubtful?.tvl)).toEqual([undefined, 9000n, 90_000n, 10n, undefined]);
    expect(results.map(({ stored }) => stored.observation.tvl)).toEqual([1000n, 1000n, 1000n, 1000n, 11n]);
  });

  it('that is doubtful closes the market and lowers its limits at once, and raises none', () => {
    const limits = { liquidity: 500n, depositLimit: undefined };
    const closed = { acceptsDeposits: false, allowsWithdrawals: false, liquidity: 5n, depositLimit: 0n };
    const [, paused] = offer([observed(0, limits), observed(300, { tvl: 1n, ...closed })]);
    expect(paused!.stored.observation).toEqual({ ...observed(0), ...closed });
    const [, raised] = offer([
      observed(0, { liquidity: 5n, depositLimit: 7n }),
      observed(300, { tvl: 1n, liquidity: 9n }),
    ]);
    expect(raised!.stored.observation).toMatchObject({ liquidity: 5n, depositLimit: 7n });
  });

  it('of the present replaces one of a block in the future at once, or after the usual confirmation', () => {
    const future = observed(2 * HOUR, { observedAt: at(300) });
    const [, ahead, present] = offer([observed(0), future, observed(600)]);
    expect([ahead!.stored.observation.at, present!.stored.observation.at]).toEqual([at(2 * HOUR), at(600)]);
    const far = [observed(0), observed(2 * HOUR, { observedAt: at(300) }), observed(600, { tvl: 1n })];
    const [, , doubtful, confirmed] = offer([...far, observed(900, { tvl: 1n })]);
    expect([doubtful!.isSample, confirmed!.isSample]).toEqual([false, true]);
    expect(confirmed!.stored.observation).toMatchObject({ at: at(900), tvl: 1n });
  });

  it('has the first observation as its base from an hour on, until there is a sample of the day before', () => {
    const results = offer([observed(0), observed(HOUR - 1), observed(HOUR), observed(27 * HOUR)]);
    expect(results.map(({ stored }) => stored.base?.at)).toEqual([undefined, undefined, at(0), undefined]);
    const sample = { at: at(5), sharePriceRay: RAY, tvl: 1n };
    expect(offer([observed(0), observed(HOUR)], sample)[1]!.stored.base).toBe(sample);
  });
});

describe('the average yield', () => {
  it('weighs the stated yields with their time, and leaves out what a long gap hides', () => {
    const rate = (percent: bigint) => ({ yearlyRateRay: (RAY * percent) / 100n });
    const results = offer([
      observed(0, rate(4n)),
      observed(300, rate(8n)),
      observed(900, rate(8n)),
      observed(900 + HOUR + 1, rate(8n)),
    ]);
    const { rateSumE18, rateSeconds } = results.at(-1)!.stored;
    expect(rateSeconds).toBe(900n);
    const expected = (Math.expm1(0.04) * 300 + Math.expm1(0.08) * 600) / 900;
    expect(Number(rateSumE18 / rateSeconds) / 1e18).toBeCloseTo(expected, 9);
  });

  it('is not destroyed by a broken price', () => {
    const results = offer([
      observed(0),
      observed(HOUR, { sharePriceRay: 4n * RAY }),
      observed(HOUR + 300, { sharePriceRay: 4n * RAY }),
    ]);
    expect(presentYield(results[1]!.stored)).toBeUndefined();
    expect(results.at(-1)!.stored).toMatchObject({ rateSeconds: 0n, rateSumE18: 0n });
    // A tenth of a percent in an hour would be 637,000 % in a year.
    const paidAtOnce = offer([observed(0), observed(HOUR, { sharePriceRay: RAY + RAY / 1000n })]).at(-1)!.stored;
    expect([paidAtOnce.base?.at, presentYield(paidAtOnce)]).toEqual([at(0), undefined]);
    expect(presentYield(offer([observed(0, { yearlyRateRay: 5n * RAY })])[0]!.stored)).toBeUndefined();
  });
});
