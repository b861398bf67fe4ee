import { minBigInt } from '../../money/min-max';
import type { BasePoint, DoubtfulValues, MarketObservation, StoredMarket } from './observation';
import { MIN_WINDOW_SECONDS, presentYield, secondsBetween } from './yields';

/** A value that differs by more than this factor is accepted when a later observation confirms it. */
const MAX_JUMP = 5n;
/** A longer gap hides the yield in between, which is not part of the average. */
const MAX_AVERAGED_SECONDS = 3600;
const MAX_BASE_SECONDS = 26 * 3600;
const E18 = 1e18;

export interface ObservedMarket {
  readonly strategyId: string;
  readonly chainId: number;
  readonly observation: MarketObservation;
  /** The sample nearest to 24 hours before, if there is one. */
  readonly base: BasePoint | undefined;
  /** Key of the market. */
  readonly market?: string | undefined;
}

/**
 * `store`: the new row. `isSample`: whether the observation is accepted and belongs to the history. `disproves`: whether what was
 * stored is of a block that the chain cannot have had.
 */
export interface Acceptance {
  readonly store: StoredMarket;
  readonly isSample: boolean;
  readonly disproves: boolean;
}

/** Clocks of chains differ less from that of this service. */
const MAX_AHEAD_SECONDS = 60;

/** Whether a block is in the future when it is read: invented by a node, or of a local chain whose time was set forward. */
const isAhead = (block: Date, observedAt: Date): boolean => secondsBetween(observedAt, block) > MAX_AHEAD_SECONDS;

/**
 * Decides about an observation. `undefined` when it is not newer than what is stored, unless that is a block in the future: one
 * node that stated one must not stop the updates until its time. The first observation is accepted. One whose value of all
 * deposits, share price or rate is more than five times higher or lower must be seen twice: until then these values stay. Its
 * limits count at once: they only protect deposits.
 */
export function acceptObservation(stored: StoredMarket | undefined, observed: ObservedMarket): Acceptance | undefined {
  const { strategyId, chainId, observation, market } = observed;
  const { at, observedAt, sharePriceRay } = observation;
  const firstPoint = { at, sharePriceRay };
  if (stored === undefined) {
    const store = { strategyId, chainId, market, observation, base: undefined, first: firstPoint, doubtful: undefined };
    return { store: { ...store, rateSumE18: 0n, rateSeconds: 0n }, isSample: true, disproves: false };
  }
  const disproves = !isAhead(at, observedAt) && isAhead(latestOf(stored), observedAt);
  if (at <= latestOf(stored) && !disproves) return undefined;
  const before = { ...stored, market, first: stored.first.at > at ? firstPoint : stored.first };
  const { doubtful } = before;
  // A third value confirms neither the doubtful nor the accepted one.
  const isConfirmed =
    !isJump(before.observation, observation) || (doubtful !== undefined && !isJump(doubtful, observation));
  if (!isConfirmed) return { store: heldBack(before, observation), isSample: false, disproves };
  const base = baseOf(before, observed);
  const store = { ...before, ...averaged(before, observation), observation, base, doubtful: undefined };
  return { store, isSample: true, disproves };
}

/** Time of the newest block with stored values. */
const latestOf = ({ doubtful, observation }: StoredMarket): Date => doubtful?.at ?? observation.at;

/** The accepted values with the flags and the smaller limits of a doubtful observation. */
function heldBack(before: StoredMarket, after: MarketObservation): StoredMarket {
  const { at, sharePriceRay, yearlyRateRay, tvl, acceptsDeposits, allowsWithdrawals } = after;
  const observation = {
    ...before.observation,
    acceptsDeposits,
    allowsWithdrawals,
    liquidity: smaller(before.observation.liquidity, after.liquidity),
    depositLimit: smaller(before.observation.depositLimit, after.depositLimit),
  };
  return { ...before, observation, doubtful: { at, sharePriceRay, yearlyRateRay, tvl } };
}

/** `undefined`: without a limit. */
const smaller = (one: bigint | undefined, other: bigint | undefined): bigint | undefined =>
  one === undefined || other === undefined ? (one ?? other) : minBigInt(one, other);

function isJump(before: DoubtfulValues, after: DoubtfulValues): boolean {
  return (
    differs(before.tvl, after.tvl) ||
    differs(before.sharePriceRay, after.sharePriceRay) ||
    differs(before.yearlyRateRay ?? 0n, after.yearlyRateRay ?? 0n)
  );
}

const differs = (one: bigint, other: bigint): boolean => {
  const [low, high] = one < other ? [one, other] : [other, one];
  return high > low * MAX_JUMP;
};

/** While there is no sample of a day before, the first observation is the base as soon as it is an hour old. */
function baseOf({ first }: StoredMarket, { observation, base }: ObservedMarket): BasePoint | undefined {
  if (base !== undefined) return base;
  const seconds = secondsBetween(first.at, observation.at);
  if (seconds < MIN_WINDOW_SECONDS || seconds > MAX_BASE_SECONDS) return undefined;
  return { ...first, tvl: undefined };
}

/** The yield that was stated before counts for the time until now. */
function averaged(before: StoredMarket, { at }: MarketObservation): Pick<StoredMarket, 'rateSumE18' | 'rateSeconds'> {
  const { rateSumE18, rateSeconds } = before;
  const seconds = Math.floor(secondsBetween(before.observation.at, at));
  const fraction = presentYield(before);
  if (seconds < 0 || seconds > MAX_AVERAGED_SECONDS || fraction === undefined) return { rateSumE18, rateSeconds };
  const weighted = BigInt(Math.round(fraction * E18)) * BigInt(seconds);
  return { rateSumE18: rateSumE18 + weighted, rateSeconds: rateSeconds + BigInt(seconds) };
}
