import { z } from 'zod';
import { RAY } from '../../money/ray';
import type { UsdPrice } from '../../money/usd';
import type { TokenPrice } from '../../prices/token-price';
import type { Token } from '../../tokens/token';
import type { MarketState, RewardEmission } from '../protocols/protocol';
import { MAX_YIELD } from './yields';

/**
 * Warnings about a reward rate:
 *
 * - `UNREAD`: the rewards contract did not return the emission.
 * - `NO_PRICE`: the reward token, or the asset of the market, has no fresh price.
 * - `NO_DEPOSITS`: there are no deposits that earn it.
 * - `IMPLAUSIBLE`: the stated emission is larger than any token, or the yield is over 10,000 %.
 * - `UNCONFIRMED_PRICE`: no two independent sources agree on one of the prices. The rate is shown.
 * - `STALE`: the market was not read for three intervals, so that the prices are old.
 */
export const REWARD_FLAGS = ['UNREAD', 'NO_PRICE', 'NO_DEPOSITS', 'IMPLAUSIBLE', 'UNCONFIRMED_PRICE', 'STALE'] as const;
export type RewardFlag = (typeof REWARD_FLAGS)[number];

/** The rate at which a market pays one reward, as observed at a block. */
export interface RewardRate {
  /** Address of the reward token. */
  readonly token: string;
  /** Base units of the reward token in a year, for all deposits together; `undefined` when unknown. */
  readonly perYear: bigint | undefined;
  /** `undefined` without an end. */
  readonly endsAt: Date | undefined;
  /**
   * Annual reward rate (APR): value of the rewards per year divided by the value of all deposits, as a ray; `undefined` when
   * unknown.
   */
  readonly rateRay: bigint | undefined;
  readonly flags: readonly RewardFlag[];
}

/** The prices that a rate is computed from, by the address of the token. A token without a fresh price is missing. */
export type PricesByAddress = ReadonlyMap<string, Pick<TokenPrice, 'usdE24' | 'isConfirmed'>>;

/** A year's emission of a token that exists is smaller, in base units. */
const MAX_EMISSION = 2n ** 128n;
/** Unix seconds of the year 10000: a later end is none. */
const MAX_END = 253_402_300_800n;
const MAX_RATE = BigInt(MAX_YIELD) * RAY;

/** The rates of all rewards of a market, in the order of its reward tokens. One that is broken does not affect the others. */
export const rewardRates = (
  { emissions = [], tvl }: Pick<MarketState, 'emissions' | 'tvl'>,
  underlying: Token,
  prices: PricesByAddress,
): readonly RewardRate[] => emissions.map((emission) => rewardRate(emission, { tvl, underlying, prices }));

interface Deposits {
  readonly tvl: bigint;
  readonly underlying: Token;
  readonly prices: PricesByAddress;
}

function rewardRate({ token, perYear, endsAt }: RewardEmission, deposits: Deposits): RewardRate {
  const known = { token: token.address, endsAt: dateOf(endsAt) };
  const unknown = { ...known, perYear: undefined, rateRay: undefined };
  if (perYear === undefined) return { ...unknown, flags: ['UNREAD'] };
  if (perYear < 0n || perYear >= MAX_EMISSION) return { ...unknown, flags: ['IMPLAUSIBLE'] };
  if (perYear === 0n) return { ...known, perYear, rateRay: 0n, flags: [] };
  return { ...known, perYear, ...rateOf(token, perYear, deposits) };
}

function rateOf(
  token: Token,
  perYear: bigint,
  { tvl, underlying, prices }: Deposits,
): Pick<RewardRate, 'rateRay' | 'flags'> {
  if (tvl === 0n) return { rateRay: undefined, flags: ['NO_DEPOSITS'] };
  const [reward, asset] = [prices.get(token.address), prices.get(underlying.address)];
  if (reward === undefined || asset === undefined) return { rateRay: undefined, flags: ['NO_PRICE'] };
  const rateRay = ratioOfWorths(
    { amount: perYear, token, price: reward.usdE24 },
    { amount: tvl, token: underlying, price: asset.usdE24 },
  );
  if (rateRay > MAX_RATE) return { rateRay: undefined, flags: ['IMPLAUSIBLE'] };
  return { rateRay, flags: reward.isConfirmed && asset.isConfirmed ? [] : ['UNCONFIRMED_PRICE'] };
}

interface PricedAmount {
  /** Base units. */
  readonly amount: bigint;
  readonly token: Pick<Token, 'decimals'>;
  readonly price: UsdPrice;
}

/** The worth of one amount as a part of that of another, which is not zero, as a ray. */
const ratioOfWorths = (part: PricedAmount, whole: PricedAmount): bigint =>
  (part.amount * part.price * unitOf(whole) * RAY) / (whole.amount * whole.price * unitOf(part));

const unitOf = ({ token }: PricedAmount): bigint => 10n ** BigInt(token.decimals);

const dateOf = (seconds: bigint | undefined): Date | undefined =>
  seconds === undefined || seconds >= MAX_END ? undefined : new Date(Number.parseInt(seconds.toString(), 10) * 1000);

const integer = z
  .string()
  .regex(/^\d{1,80}$/)
  .transform(BigInt)
  .optional();

/** Rates as the database has them. */
const storedRates = z.array(
  z.object({
    token: z.string(),
    perYear: integer,
    endsAt: z.coerce.date().optional(),
    rateRay: integer,
    flags: z.array(z.enum(REWARD_FLAGS)),
  }),
);

/** Stored rates. `undefined` without any, and for those of a later version: they are read again within minutes. */
export function parseRewardRates(stored: unknown): readonly RewardRate[] | undefined {
  const { data } = storedRates.safeParse(stored);
  return data?.map(({ token, perYear, endsAt, rateRay, flags }) => ({ token, perYear, endsAt, rateRay, flags }));
}
