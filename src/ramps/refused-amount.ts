import { LRUCache } from 'lru-cache';
import { rejectOnAbort } from '../async/race-abort';
import { resolveWithin } from '../async/resolve-within';
import { createSingleFlight, type SingleFlight } from '../async/single-flight';
import { isServiceError, type ServiceError } from '../errors/service-error';
import { type BaseUnits, toBaseUnits } from '../money/base-units';
import { amountRangeError, type Bound, isUnknownRange, unknownRangeError } from './amount-errors';
import type { RampQuote, RampQuoteRequest, RampRoute } from './ramp-provider';
import { assertQuotedWithinRouteLimits, routeLimits, unitOf } from './route-limits';

type Payment = Pick<RampQuote, 'amountIn' | 'amountOut'>;

/** An amount that a ramp refuses, with a way to price others. */
interface RefusedAmount {
  readonly request: Pick<RampQuoteRequest, 'route' | 'side' | 'amount'>;
  /** When the refused quote was requested, in milliseconds of `performance.now()`. */
  readonly requestedAt: number;
  /** Identifies the ramp. Its smallest payments are searched once a minute. */
  readonly ramp: object;
  /**
   * Prices an exact amount of fiat, in cents, without a payer, for all callers that wait: `signal` belongs to none of them.
   *
   * @throws RAMP_AMOUNT_OUT_OF_RANGE without a range when the ramp refuses the amount; any other error when it has no price
   */
  readonly quoteFiat: (cents: BaseUnits, signal: AbortSignal) => Promise<Payment>;
}

/** Maximum time from the request for the refused quote to the error, unless the quote itself takes longer. */
const MAX_ERROR_MS = 1000;

/**
 * RAMP_AMOUNT_OUT_OF_RANGE with the range that applies. A ramp refuses an amount without its range, which is narrower than the
 * documented one where the ramp's fee exceeds the documented minimum: the smallest payment that the ramp prices is searched.
 * Without one, and while the search takes too long, the error has no range.
 */
export async function refusedAmountError(refused: RefusedAmount, cause: unknown): Promise<ServiceError> {
  const { route, side, amount } = refused.request;
  const remainingMs = Math.max(0, refused.requestedAt + MAX_ERROR_MS - performance.now());
  // The search goes on for later callers. The refusal stays the error when the search fails.
  const smallest = await resolveWithin(smallestPayment(refused), remainingMs).catch(() => undefined);
  if (smallest === undefined) return unknownRangeError(cause);
  const minUnits = side === 'in' ? smallest.amountIn : smallest.amountOut;
  const documented = routeLimits(route)[side];
  const minimum: Bound =
    documented !== undefined && documented.minimum.units >= minUnits
      ? documented.minimum
      : { units: minUnits, inclusive: true };
  // An amount that is not too low is too high.
  const maximum = amount < minUnits ? documented?.maximum : { units: amount, inclusive: false };
  return amountRangeError({ ...unitOf(route, side), minimum, maximum }, cause);
}

const FRESH_MS = 60_000;
/** How long a ramp that prices no payment is not searched again. */
const NONE_FRESH_MS = 10_000;
/** Maximum time of a search. */
const MAX_SEARCH_MS = 30_000;
const MAX_ROUTES = 1000;

interface RampSearches {
  /** Results of completed searches, by route. `payment` is `undefined` when the ramp prices none. */
  readonly found: LRUCache<string, { readonly payment: Payment | undefined }>;
  readonly running: SingleFlight<Payment | undefined>;
}

const searchesOfRamps = new WeakMap<object, RampSearches>();

function searchesOf(ramp: object): RampSearches {
  const searches = searchesOfRamps.get(ramp) ?? {
    found: new LRUCache<string, { readonly payment: Payment | undefined }>({ max: MAX_ROUTES, ttl: FRESH_MS }),
    running: createSingleFlight<Payment | undefined>(),
  };
  searchesOfRamps.set(ramp, searches);
  return searches;
}

/** The result of the latest search of the route. Callers at the same time share one search. */
async function smallestPayment(refused: RefusedAmount): Promise<Payment | undefined> {
  const { found, running } = searchesOf(refused.ramp);
  const key = routeKey(refused.request.route);
  const known = found.get(key);
  if (known !== undefined) return known.payment;
  return running.join(key, async () => {
    const signal = AbortSignal.timeout(MAX_SEARCH_MS);
    const payment = await rejectOnAbort(findSmallestPayment(refused, signal), signal);
    found.set(key, { payment }, { ttl: payment === undefined ? NONE_FRESH_MS : FRESH_MS });
    return payment;
  });
}

const routeKey = ({ direction, currency, rail, chain, token }: RampRoute): string =>
  [direction, currency, rail, chain.chainId, token.address].join(':');

/** Cents to try, in this order. Minimums of ramps are round. */
const TRIED_CENTS = [1n, 100n, 200n, 500n, 1000n, 2000n, 5000n, 10_000n];
/** Steps between the last refused and the first accepted amount. */
const MAX_STEPS = 6;
/** The search ends when the two differ by less than the accepted amount divided by this. */
const PRECISION = 50n;

/** @throws the error of a price that fails for another reason than its amount: it says nothing about the range */
async function findSmallestPayment(refusedAmount: RefusedAmount, signal: AbortSignal): Promise<Payment | undefined> {
  const price = (cents: bigint) => priceOf(refusedAmount, cents, signal);
  let refused = 0n;
  for (const cents of TRIED_CENTS) {
    const payment = await price(cents);
    if (payment !== undefined) return narrow(price, { refused, accepted: cents, payment });
    refused = cents;
  }
  return undefined;
}

/** `undefined` for an amount that the ramp refuses. */
async function priceOf(
  { request: { route }, quoteFiat }: RefusedAmount,
  cents: bigint,
  signal: AbortSignal,
): Promise<Payment | undefined> {
  try {
    const payment = await quoteFiat(toBaseUnits(cents), signal);
    return isWithinOutputLimits(route, payment) ? payment : undefined;
  } catch (error) {
    if (isServiceError(error) && isUnknownRange(error)) return undefined;
    throw error;
  }
}

/** The output of an on-ramp has documented limits as well. */
function isWithinOutputLimits(route: RampRoute, { amountOut }: Payment): boolean {
  if (route.direction === 'offRamp') return true;
  try {
    assertQuotedWithinRouteLimits(route, 'out', amountOut);
    return true;
  } catch {
    return false;
  }
}

interface Bracket {
  /** Cents that the ramp refuses. */
  readonly refused: bigint;
  /** Cents that the ramp accepts. */
  readonly accepted: bigint;
  readonly payment: Payment;
}

/** Bisects between a refused and an accepted amount. */
async function narrow(price: (cents: bigint) => Promise<Payment | undefined>, bracket: Bracket): Promise<Payment> {
  let { refused, accepted, payment } = bracket;
  for (let step = 0; step < MAX_STEPS; step++) {
    const distance = accepted - refused;
    if (distance === 1n || distance * PRECISION < accepted) break;
    const middle = (refused + accepted) / 2n;
    const priced = await price(middle);
    if (priced === undefined) refused = middle;
    else [accepted, payment] = [middle, priced];
  }
  return payment;
}
