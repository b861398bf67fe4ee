import type { ErrorCode } from '../errors/catalog';
import { serviceError, type ServiceError } from '../errors/service-error';
import { type AmountUnit, type Bound, maximumText, minimumText } from './amount-errors';
import type { RampRoute } from './ramp-provider';

interface AmountRange extends AmountUnit {
  readonly minimum: Bound;
  readonly maximum: Bound;
}

/** Decimals of fiat: cents. */
const FIAT_DECIMALS = 2;

type RouteSide = 'in' | 'out';
type LimitedRoute = Pick<RampRoute, 'direction' | 'currency'> & {
  readonly token: Pick<RampRoute['token'], 'symbol' | 'decimals'>;
};

const BRL_TOKENS: ReadonlySet<string> = new Set(['BRLA', 'BRZ', 'BRS']);
const DOLLAR_TOKENS: ReadonlySet<string> = new Set(['USDC']);

/** USDC against Pix, ACH or wire, in whole tokens. Both bounds are exclusive, but on-ramps allow the maximum. */
const DOLLAR_TOKEN_LIMITS = { minimum: 1n, maximum: 20_000n };

/** Pix, in cents. Minimums are inclusive. `minimum` depends on the token: reais, or dollars, which need an exchange. */
const REAL_LIMITS = {
  onRamp: { minimum: { reais: 50n, dollars: 100n }, maximum: { units: 10_000_000n, inclusive: true } },
  offRamp: { minimum: { reais: 50n, dollars: 500n }, maximum: { units: 11_000_000n, inclusive: false } },
} as const;

/** True for a token that represents reais. */
export const isBrlToken = (symbol: string): boolean => BRL_TOKENS.has(symbol);

function dollarTokenRange({ direction, token }: LimitedRoute): AmountRange {
  const whole = 10n ** BigInt(token.decimals);
  const { minimum, maximum } = DOLLAR_TOKEN_LIMITS;
  return {
    minimum: { units: minimum * whole, inclusive: false },
    maximum: { units: maximum * whole, inclusive: direction === 'onRamp' },
    decimals: token.decimals,
    currency: token.symbol,
  };
}

function realRange({ direction, token }: LimitedRoute): AmountRange {
  const { minimum, maximum } = REAL_LIMITS[direction];
  const units = isBrlToken(token.symbol) ? minimum.reais : minimum.dollars;
  return { minimum: { units, inclusive: true }, maximum, decimals: FIAT_DECIMALS, currency: 'BRL' };
}

/**
 * The documented limits on both sides of a ramp route, in the smallest unit of each side. `undefined` for a side without
 * limits: tokens of reais, and dollars at a bank.
 */
export function routeLimits(route: LimitedRoute): Readonly<Record<RouteSide, AmountRange | undefined>> {
  const token = DOLLAR_TOKENS.has(route.token.symbol) ? dollarTokenRange(route) : undefined;
  const fiat = route.currency === 'BRL' ? realRange(route) : undefined;
  return route.direction === 'onRamp' ? { in: fiat, out: token } : { in: token, out: fiat };
}

/** @throws AMOUNT_{IN,OUT}_TOO_{LOW,HIGH}_{ON,OFF}RAMP with `details` {minimum, maximum, currency} in the smallest unit */
export function assertWithinRouteLimits(route: LimitedRoute, side: RouteSide, amount: bigint): void {
  const range = routeLimits(route)[side];
  if (range === undefined) return;
  const { minimum, maximum } = range;
  if (amount < minimum.units || (amount === minimum.units && !minimum.inclusive))
    throw limitError(route, { side, range, end: 'LOW' });
  if (amount > maximum.units || (amount === maximum.units && !maximum.inclusive))
    throw limitError(route, { side, range, end: 'HIGH' });
}

/**
 * Checks the amount that a quote has computed for a side. The maximum always applies; the minimum only when the requested
 * side has no limits.
 *
 * @throws as `assertWithinRouteLimits`
 */
export function assertQuotedWithinRouteLimits(route: LimitedRoute, side: RouteSide, amount: bigint): void {
  const limits = routeLimits(route);
  const range = limits[side];
  const isRequestLimited = limits[side === 'in' ? 'out' : 'in'] !== undefined;
  if (range !== undefined && isRequestLimited && amount <= range.minimum.units) return;
  assertWithinRouteLimits(route, side, amount);
}

interface LimitViolation {
  readonly side: RouteSide;
  readonly range: AmountRange;
  readonly end: 'LOW' | 'HIGH';
}

type LimitCode = Extract<ErrorCode, `AMOUNT_${'IN' | 'OUT'}_TOO_${'LOW' | 'HIGH'}_${'ON' | 'OFF'}RAMP`>;

function limitError({ direction }: LimitedRoute, { side, range, end }: LimitViolation): ServiceError {
  const { minimum, maximum, currency } = range;
  const details = { minimum: minimum.units.toString(), maximum: maximum.units.toString(), currency };
  const code = `AMOUNT_${side === 'in' ? 'IN' : 'OUT'}_TOO_${end}_${direction === 'onRamp' ? 'ON' : 'OFF'}RAMP`;
  const parameters = { minimum: minimumText(minimum, range), maximum: maximumText(maximum, range) };
  return serviceError(code as LimitCode, parameters as never, { details });
}

/** The side of a route that is fiat. */
export const fiatSide = ({ direction }: Pick<RampRoute, 'direction'>): RouteSide =>
  direction === 'onRamp' ? 'in' : 'out';

/** The unit of the amounts on one side of a route. */
export const unitOf = (route: LimitedRoute, side: RouteSide): AmountUnit =>
  side === fiatSide(route)
    ? { decimals: FIAT_DECIMALS, currency: route.currency }
    : { decimals: route.token.decimals, currency: route.token.symbol };
