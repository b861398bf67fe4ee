import { type ValidationIssue, validationError } from '../../errors/validation';
import { slugOf } from '../catalog/merge-rows';
import type { MarketStoreDeps } from '../market/market-store';
import { type MarketSample, readMarketSamples, type SampledSpan } from '../market/sample-store';
import { compoundedYield, grownYield, secondsBetween } from '../market/yields';
import type { Strategy } from '../strategy';
import { STOCKS } from '../strategy-row';
import type { CustomerFees } from '../fees/customer-fees';
import { netYield, sharePriceNumber, underlyingUsd, usdRate } from './market-figures';

/** Steps of a history, in seconds. */
export const RATE_STEPS = { HOUR: 3600, DAY: 86_400 } as const;
export type RateStep = keyof typeof RATE_STEPS;

/** Yields and share price of a strategy at a time. */
export interface RatePoint {
  readonly at: Date;
  readonly grossAPY: number | undefined;
  readonly netAPY: number | undefined;
  readonly sharePrice: number;
}

/** The value of all deposits of a strategy at a time. */
export interface SampleView {
  readonly at: Date;
  readonly tvl: string;
  readonly tvlUsd: number | undefined;
  readonly priceUsd: number | undefined;
}

/** Times in ISO 8601. */
export interface RequestedSpan {
  readonly from: string;
  /** Now when not given. */
  readonly to?: string | null | undefined;
  /** Hours when they are at most `MAX_STEPS`, else days. */
  readonly step?: RateStep | null | undefined;
}

const MAX_STEPS = 500;
const EARLIEST = Date.UTC(2000, 0, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 7;
const SAMPLED_HOURS = 24;
/** A yield by growth needs the share price of a day before. */
const LEAD_MS = 26 * HOUR_MS;

/** The end of a span that ends now: the next full hour, so that the requests of an hour have equal spans. */
const endOfHour = (): Date => new Date((Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS);

/** The last seven days by the hour. */
export function defaultSpan(): SampledSpan {
  const to = endOfHour();
  return { from: new Date(to.getTime() - DEFAULT_DAYS * DAY_MS), to, stepSeconds: RATE_STEPS.HOUR };
}

/** The span of the samples in the market data: the last 24 hours by the hour. */
export function sampleSpan(): SampledSpan {
  const to = endOfHour();
  return { from: new Date(to.getTime() - SAMPLED_HOURS * HOUR_MS), to, stepSeconds: RATE_STEPS.HOUR };
}

/** @throws VALIDATION_ERROR */
export function parseSpan({ from: fromText, to: toText, step }: RequestedSpan): SampledSpan {
  const end = endOfHour();
  const from = new Date(fromText);
  const to = new Date(Math.min(new Date(toText ?? end).getTime(), end.getTime()));
  const issues = spanIssues(from, to);
  if (issues.length > 0) throw validationError(issues);
  const stepSeconds = step ? RATE_STEPS[step] : defaultStep(from, to);
  const steps = Math.ceil((to.getTime() - from.getTime()) / (stepSeconds * 1000));
  if (steps > MAX_STEPS) {
    const message = `must have at most ${String(MAX_STEPS)} steps, and has ${String(steps)}. Use a longer step or a shorter range`;
    throw validationError([{ path: 'range', message }]);
  }
  return { from, to, stepSeconds };
}

function spanIssues(from: Date, to: Date): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const isTime = (time: Date): boolean => !Number.isNaN(time.getTime());
  if (!isTime(from)) issues.push({ path: 'range.from', message: 'must be an ISO 8601 time' });
  if (!isTime(to)) issues.push({ path: 'range.to', message: 'must be an ISO 8601 time' });
  if (issues.length > 0) return issues;
  if (from.getTime() < EARLIEST) issues.push({ path: 'range.from', message: 'must not be before 2000' });
  if (from >= to) issues.push({ path: 'range.from', message: 'must be before range.to, and not in the future' });
  return issues;
}

const defaultStep = (from: Date, to: Date): number =>
  to.getTime() - from.getTime() <= MAX_STEPS * HOUR_MS ? RATE_STEPS.HOUR : RATE_STEPS.DAY;

export interface RateHistoryDeps extends MarketStoreDeps {
  /** The fees of the customer that requests them. */
  readonly fees: CustomerFees;
}

/** The histories of strategies in a span, in the order of the strategies. One query. */
export async function rateHistories(
  deps: RateHistoryDeps,
  strategies: readonly Strategy[],
  span: SampledSpan,
): Promise<readonly (readonly RatePoint[])[]> {
  const withLead = { ...span, from: new Date(span.from.getTime() - Math.max(LEAD_MS, span.stepSeconds * 1000)) };
  const samples = await readMarketSamples(deps, strategies.map(idOf), withLead);
  return strategies.map((strategy) => {
    const own = samples.get(idOf(strategy)) ?? [];
    // The oldest sample of the 26 hours before moves forward with the samples.
    let base = 0;
    return own.flatMap((sample) => {
      while (isTooOld(own[base], sample)) base += 1;
      if (sample.at < span.from) return [];
      const grossAPY = strategy.row.protocol === STOCKS ? undefined : yieldOf(sample, own[base]);
      const sharePrice = sharePriceNumber(strategy, sample.sharePriceRay);
      return [{ at: sample.at, grossAPY, netAPY: netYield(grossAPY, deps.fees.of(strategy)), sharePrice }];
    });
  });
}

/** The samples of the last 24 hours, in the order of the strategies. One query. */
export async function recentSamples(
  deps: MarketStoreDeps,
  strategies: readonly Strategy[],
): Promise<readonly (readonly SampleView[])[]> {
  const samples = await readMarketSamples(deps, strategies.map(idOf), sampleSpan());
  return strategies.map((strategy) =>
    (samples.get(idOf(strategy)) ?? []).map(({ at, tvl, usdE24 }) => ({
      at,
      tvl: tvl.toString(),
      tvlUsd: underlyingUsd(strategy, tvl, usdE24),
      priceUsd: usdRate(usdE24),
    })),
  );
}

const idOf = ({ row }: Strategy): string => slugOf(row.id);

/** As the protocol stated it, else by the growth since the earliest sample of the 26 hours before. */
function yieldOf(sample: MarketSample, base: MarketSample | undefined): number | undefined {
  if (sample.yearlyRateRay !== undefined) return compoundedYield(sample.yearlyRateRay);
  return base === undefined ? undefined : grownYield(base, sample);
}

const isTooOld = (base: MarketSample | undefined, sample: MarketSample): boolean =>
  base !== undefined && secondsBetween(base.at, sample.at) * 1000 > LEAD_MS;
