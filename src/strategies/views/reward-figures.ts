import { RAY } from '../../money/ray';
import { ratioNumber } from '../../money/ratio-number';
import type { StoredMarket } from '../market/observation';
import type { RewardFlag, RewardRate } from '../market/reward-rates';
import type { Strategy } from '../strategy';
import { isStale } from './market-figures';
import { type TokenView, tokenView } from './token-view';

/** A reward that a market pays for deposits, besides interest. */
export interface RewardView {
  readonly token: TokenView;
  /** Simple rate of a year as a fraction: rewards earn nothing themselves. `undefined` when unknown; 0 after the end. */
  readonly apy: number | undefined;
  /** Base units of the reward token in a year, for all deposits together. */
  readonly emissionPerYear: string | undefined;
  readonly endsAt: Date | undefined;
  readonly flags: readonly RewardFlag[];
}

/** The rewards of a strategy at a time, in the order of its reward tokens. Those that are not read yet are `UNREAD`. */
export function rewardViews(
  { rewardTokens = [] }: Pick<Strategy, 'rewardTokens'>,
  market: StoredMarket | undefined,
  now: Date,
): readonly RewardView[] {
  const rates = new Map(market?.observation.rewards?.map((rate) => [rate.token, rate]));
  const isOld = market !== undefined && isStale(market, now);
  return rewardTokens.map((token) => ({
    token: tokenView(token),
    ...figuresOf(rates.get(token.address) ?? unread(token.address), { now, isOld }),
  }));
}

const unread = (token: string): RewardRate => ({
  token,
  perYear: undefined,
  endsAt: undefined,
  rateRay: undefined,
  flags: ['UNREAD'],
});

function figuresOf(
  { perYear, endsAt, rateRay, flags }: RewardRate,
  { now, isOld }: { readonly now: Date; readonly isOld: boolean },
): Omit<RewardView, 'token'> {
  if (endsAt !== undefined && endsAt <= now) return { apy: 0, emissionPerYear: '0', endsAt, flags: [] };
  const emissionPerYear = perYear?.toString();
  if (isOld) return { apy: undefined, emissionPerYear, endsAt, flags: [...flags, 'STALE'] };
  return { apy: rateRay === undefined ? undefined : ratioNumber(rateRay, RAY), emissionPerYear, endsAt, flags };
}

/**
 * Sum of the rates, without those of `UNCONFIRMED_PRICE`: a single pool could be moved to raise the sum, which shows no flags.
 * `undefined` when none remains, and for strategies without rewards.
 */
export function totalRewardYield(rewards: readonly Pick<RewardView, 'apy' | 'flags'>[]): number | undefined {
  const known = rewards.flatMap(({ apy, flags }) =>
    apy === undefined || flags.includes('UNCONFIRMED_PRICE') ? [] : [apy],
  );
  return known.length === 0 ? undefined : known.reduce((sum, apy) => sum + apy, 0);
}
