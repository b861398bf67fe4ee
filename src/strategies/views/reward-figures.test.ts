import { RECEIPT, sampleStrategy, UNDERLYING } from '../../../test/strategies/sample-strategy';
import { RAY } from '../../money/ray';
import type { StoredMarket } from '../market/observation';
import type { RewardRate } from '../market/reward-rates';
import { rewardViews, totalRewardYield } from './reward-figures';

const { underlying, receipt } = sampleStrategy('aave-v3');
const strategy = { rewardTokens: [underlying, receipt] };
const now = new Date();
const HOUR_MS = 3_600_000;
const later = (hours: number) => new Date(now.getTime() + hours * HOUR_MS);
const rate = (token: string, changes: Partial<RewardRate> = {}): RewardRate => ({
  token,
  perYear: 1000n,
  endsAt: undefined,
  rateRay: RAY / 50n,
  flags: [],
  ...changes,
});
const market = (rewards: readonly RewardRate[] | undefined, at = now): StoredMarket => ({
  strategyId: 'x',
  chainId: 1,
  observation: {
    at,
    observedAt: at,
    blockNumber: 1n,
    sharePriceRay: RAY,
    yearlyRateRay: RAY / 10n,
    tvl: 1n,
    liquidity: undefined,
    depositLimit: undefined,
    acceptsDeposits: true,
    allowsWithdrawals: true,
    usdE24: undefined,
    rewards,
  },
  base: undefined,
  first: { at, sharePriceRay: RAY },
  rateSumE18: 0n,
  rateSeconds: 0n,
  doubtful: undefined,
});

it('each reward is shown with its token, its rate as a fraction and its emission', () => {
  const [first, second] = rewardViews(
    strategy,
    market([rate(RECEIPT, { rateRay: RAY / 100n, endsAt: later(1) }), rate(UNDERLYING)]),
    now,
  );
  expect(first).toMatchObject({
    token: { address: UNDERLYING, decimals: 6 },
    apy: 0.02,
    emissionPerYear: '1000',
    endsAt: undefined,
    flags: [],
  });
  expect(second).toMatchObject({ token: { address: RECEIPT }, apy: 0.01, endsAt: later(1) });
  expect(totalRewardYield([first!, second!])).toBeCloseTo(0.03, 12);
});

it('one that has ended since it was read pays nothing, and one of a market that was not read for long has no rate', () => {
  const ended = rate(UNDERLYING, { endsAt: later(-1), flags: ['UNCONFIRMED_PRICE'] });
  expect(rewardViews(strategy, market([ended, rate(RECEIPT)], later(-2)), now)).toMatchObject([
    { apy: 0, emissionPerYear: '0', endsAt: later(-1), flags: [] },
    { apy: undefined, emissionPerYear: '1000', flags: ['STALE'] },
  ]);
});

it('one that is unknown is no part of the sum, which is unknown when all are', () => {
  const unknown = rate(RECEIPT, { rateRay: undefined, flags: ['NO_PRICE'] });
  const views = rewardViews(strategy, market([rate(UNDERLYING), unknown]), now);
  expect(views[1]).toMatchObject({ apy: undefined, emissionPerYear: '1000', flags: ['NO_PRICE'] });
  expect(totalRewardYield(views)).toBeCloseTo(0.02, 12);
  expect(totalRewardYield(views.slice(1))).toBeUndefined();
  expect(totalRewardYield(rewardViews({}, market(undefined), now))).toBeUndefined();
});

it('one whose price no second source confirms has a rate, which is no part of the sum', () => {
  const unconfirmed = rate(RECEIPT, { flags: ['UNCONFIRMED_PRICE'] });
  const views = rewardViews(strategy, market([rate(UNDERLYING), unconfirmed]), now);
  expect(views[1]).toMatchObject({ apy: 0.02, flags: ['UNCONFIRMED_PRICE'] });
  expect(totalRewardYield(views)).toBeCloseTo(0.02, 12);
  expect(totalRewardYield(views.slice(1))).toBeUndefined();
});

it('until the market was read, rewards are listed as unread', () => {
  for (const unread of [undefined, market(undefined)])
    expect(rewardViews(strategy, unread, now)).toMatchObject([
      { token: { address: UNDERLYING }, apy: undefined, emissionPerYear: undefined, flags: ['UNREAD'] },
      { token: { address: RECEIPT }, flags: ['UNREAD'] },
    ]);
});
