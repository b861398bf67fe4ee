import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { RAY } from '../../../test/strategies/scripted-catalog';
import type { StoredMarket } from '../market/observation';
import { flagsOf, marketFlags, yieldsOf } from './market-figures';

const DAY_MS = 86_400_000;
const now = new Date();
const ago = (days: number) => new Date(now.getTime() - days * DAY_MS);
const market: StoredMarket = {
  strategyId: 'x',
  chainId: 1,
  observation: {
    at: now,
    observedAt: now,
    blockNumber: 1n,
    sharePriceRay: (RAY * 11n) / 10n,
    yearlyRateRay: RAY / 10n,
    tvl: 1n,
    liquidity: undefined,
    depositLimit: undefined,
    acceptsDeposits: true,
    allowsWithdrawals: true,
    usdE24: undefined,
  },
  base: undefined,
  first: { at: ago(365), sharePriceRay: RAY },
  rateSumE18: 0n,
  rateSeconds: 0n,
  doubtful: undefined,
};
const fees = { entryBps: 0, performanceBps: 0, markupBps: 0 };

describe('the yield since inception', () => {
  const { row, ...strategy } = sampleStrategy('aave-v3');
  const startDate = ago(730).toISOString();
  const inceptionApy = (isMarketStart: boolean | undefined) =>
    yieldsOf({ ...strategy, row: { ...row, startDate, isMarketStart } }, market, fees).inceptionApy;

  it('counts from the start date with an index of 1', () => {
    expect(inceptionApy(undefined)).toBeCloseTo(Math.sqrt(1.1) - 1, 6);
  });

  it('counts from the first observation when the date is that of the market, which may have begun without the asset', () => {
    expect(inceptionApy(true)).toBeCloseTo(0.1, 6);
  });
});

it('a market whose block is old is stale, even when it was read just now', () => {
  const old = { ...market, observation: { ...market.observation, at: new Date(now.getTime() - 16 * 60_000) } };
  expect([marketFlags(market, now), marketFlags(old, now)]).toEqual([[], ['STALE']]);
});

it('a vault with deposits of less than one token is nearly empty; the price of a market with an index does not depend on them', () => {
  const [vault, reserve] = [sampleStrategy('erc4626'), sampleStrategy('aave-v3')];
  const one = 10n ** BigInt(vault.underlying.decimals);
  const withDeposits = (tvl: bigint) => ({ ...market, observation: { ...market.observation, tvl } });
  expect(flagsOf(vault, withDeposits(one - 1n), now)).toEqual(['NEARLY_EMPTY']);
  expect(flagsOf(vault, withDeposits(one), now)).toEqual([]);
  expect(flagsOf(reserve, withDeposits(0n), now)).toEqual([]);
});
