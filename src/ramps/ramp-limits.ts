import type { ErrorCode } from '../errors/catalog';
import { serviceError, type ServiceError } from '../errors/service-error';
import { formatBaseUnits } from '../money/base-units';
import type { RampRoute } from './ramp-provider';

interface Bound {
  readonly units: bigint;
  /** True when the bound itself is allowed. */
  readonly inclusive: boolean;
}

interface Range {
  readonly least: Bound;
  readonly most: Bound;
  readonly decimals: number;
  readonly currency: string;
}

type Side = 'in' | 'out';
type BoundedRoute = Pick<RampRoute, 'direction' | 'currency'> & {
  readonly token: Pick<RampRoute['token'], 'symbol' | 'decimals'>;
};

const REAL_TOKENS: ReadonlySet<string> = new Set(['BRLA', 'BRZ', 'BRS']);

/** True of a token that stands for reais. */
export const isRealToken = (symbol: string): boolean => REAL_TOKENS.has(symbol);

const DOLLAR_TOKENS: ReadonlySet<string> = new Set(['USDC']);

/** More than 1 and less than 20,000 dollars in tokens; the upper bound is allowed on on-ramps. */
function dollarTokens({ direction, token }: BoundedRoute): Range {
  const whole = 10n ** BigInt(token.decimals);
  return {
    least: { units: whole, inclusive: false },
    most: { units: 20_000n * whole, inclusive: direction === 'onRamp' },
    decimals: token.decimals,
    currency: token.symbol,
  };
}

/** In cents. The minimum depends on the token that the ramp itself deals in; off-ramps pay out less than 110,000 BRL, on-ramps take up to 100,000. */
function reais({ direction, token }: BoundedRoute): Range {
  const ofDollars = direction === 'onRamp' ? 100n : 500n;
  const least = isRealToken(token.symbol) ? 50n : ofDollars;
  const most =
    direction === 'onRamp' ? { units: 10_000_000n, inclusive: true } : { units: 11_000_000n, inclusive: false };
  return { least: { units: least, inclusive: true }, most, decimals: 2, currency: 'BRL' };
}

/**
 * What the contract allows on each side of a ramp, in the smallest unit of that side. The bounds in dollars are those of
 * dollar tokens, the ones in reais those of Pix: a side that is in neither has none.
 */
export function rampLimits(route: BoundedRoute): Readonly<Record<Side, Range | undefined>> {
  const tokens = DOLLAR_TOKENS.has(route.token.symbol) ? dollarTokens(route) : undefined;
  const fiat = route.currency === 'BRL' ? reais(route) : undefined;
  return route.direction === 'onRamp' ? { in: fiat, out: tokens } : { in: tokens, out: fiat };
}

/** @throws AMOUNT_{IN,OUT}_TOO_{LOW,HIGH}_{ON,OFF}RAMP with `details` {minimum, maximum, currency} in the smallest unit */
export function assertWithinRampLimits(route: BoundedRoute, side: Side, amount: bigint): void {
  const range = rampLimits(route)[side];
  if (range === undefined) return;
  const { least, most } = range;
  if (amount < least.units || (amount === least.units && !least.inclusive))
    throw outside(route, { side, range, end: 'LOW' });
  if (amount > most.units || (amount === most.units && !most.inclusive))
    throw outside(route, { side, range, end: 'HIGH' });
}

/**
 * Holds the side that a quote has found to its bounds: always to the most, and to the least where the side that was asked
 * for has no bounds of its own.
 *
 * @throws as `assertWithinRampLimits`
 */
export function assertQuotedWithinRampLimits(route: BoundedRoute, side: Side, amount: bigint): void {
  const ranges = rampLimits(route);
  const range = ranges[side];
  const isAskedBounded = ranges[side === 'in' ? 'out' : 'in'] !== undefined;
  if (range !== undefined && isAskedBounded && amount <= range.least.units) return;
  assertWithinRampLimits(route, side, amount);
}

interface Violation {
  readonly side: Side;
  readonly range: Range;
  readonly end: 'LOW' | 'HIGH';
}

type LimitCode = Extract<ErrorCode, `AMOUNT_${'IN' | 'OUT'}_TOO_${'LOW' | 'HIGH'}_${'ON' | 'OFF'}RAMP`>;

function outside({ direction }: BoundedRoute, { side, range, end }: Violation): ServiceError {
  const { least, most, decimals, currency } = range;
  const details = { minimum: least.units.toString(), maximum: most.units.toString(), currency };
  const inWords = (units: bigint): string => `${formatBaseUnits(units, decimals)} ${currency}`;
  const code = `AMOUNT_${side === 'in' ? 'IN' : 'OUT'}_TOO_${end}_${direction === 'onRamp' ? 'ON' : 'OFF'}RAMP`;
  const parameters = { minimum: inWords(least.units), maximum: inWords(most.units) };
  return serviceError(code as LimitCode, parameters as never, { details });
}

/** RAMP_AMOUNT_OUT_OF_RANGE of a ramp that does not tell its bounds: those of the contract are named. */
export function amountOutOfRange(route: BoundedRoute, cause?: unknown): ServiceError {
  const ranges = rampLimits(route);
  const range = ranges.in ?? ranges.out;
  const inWords = (bound: Bound | undefined): string =>
    bound === undefined || range === undefined
      ? 'not reported'
      : `${formatBaseUnits(bound.units, range.decimals)} ${range.currency}`;
  const parameters = { minimum: inWords(range?.least), maximum: inWords(range?.most) };
  return serviceError('RAMP_AMOUNT_OUT_OF_RANGE', parameters, { cause });
}
