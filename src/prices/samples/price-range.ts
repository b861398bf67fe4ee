import { serviceError } from '../../errors/service-error';
import type { SampledRange } from './price-sample-store';

/** Steps of a price history, in seconds. */
export const PRICE_STEPS = { FIVE_MINUTES: 300, HOUR: 3600, DAY: 86_400 } as const;
export type PriceStep = keyof typeof PRICE_STEPS;

/** Times in ISO 8601. */
export interface RequestedRange {
  readonly from: string;
  /** Now when not given. */
  readonly to?: string | null | undefined;
  /** The shortest step within the limit when not given. */
  readonly step?: PriceStep | null | undefined;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
/** No token has an older price, and not every year is one of the database. */
const EARLIEST = Date.UTC(2000, 0, 1);
/** A range ends with the current minute at the latest. */
const MINUTE_MS = 60_000;

/**
 * Checks a requested range: `limit` bounds the number of its steps. `now` is that of the request, in milliseconds since 1970,
 * so that its ranges that end now are equal.
 *
 * @throws INVALID_PRICE_RANGE
 */
export function parsePriceRange(
  { from: fromText, to: toText, step }: RequestedRange,
  limit: number | null | undefined,
  now: number,
): SampledRange {
  const maximum = limit ?? DEFAULT_LIMIT;
  if (maximum < 1 || maximum > MAX_LIMIT) throw invalidRange(`limit must be from 1 to ${String(MAX_LIMIT)}`);
  const end = Math.ceil((now + 1) / MINUTE_MS) * MINUTE_MS;
  const from = new Date(fromText);
  const to = new Date(Math.min(new Date(toText ?? end).getTime(), end));
  assertOrdered(from, to);
  const stepSeconds = step ? PRICE_STEPS[step] : defaultStep(from, to, maximum);
  const steps = countSteps(from, to, stepSeconds);
  if (steps > maximum) {
    throw invalidRange(
      `it has ${String(steps)} steps, and limit is ${String(maximum)} (at most ${String(MAX_LIMIT)}). Use a longer step or a shorter range`,
    );
  }
  return { from, to, stepSeconds };
}

/** @throws INVALID_PRICE_RANGE */
function assertOrdered(from: Date, to: Date): void {
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime()))
    throw invalidRange('from and to must be ISO 8601 times');
  if (from.getTime() < EARLIEST) throw invalidRange('from must not be before 2000');
  if (from >= to) throw invalidRange('from must be before to, and not in the future');
}

const defaultStep = (from: Date, to: Date, maximum: number): number =>
  Object.values(PRICE_STEPS).find((seconds) => countSteps(from, to, seconds) <= maximum) ?? PRICE_STEPS.DAY;

/** Steps begin at multiples of their length since 1970: a range may touch one more than it is long. */
const countSteps = (from: Date, to: Date, seconds: number): number =>
  Math.floor((to.getTime() - 1) / (seconds * 1000)) - Math.floor(from.getTime() / (seconds * 1000)) + 1;

const invalidRange = (reason: string) => serviceError('INVALID_PRICE_RANGE', { reason });
