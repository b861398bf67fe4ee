import { isServiceError } from '../errors/service-error';
import { assertQuotedWithinRouteLimits, assertWithinRouteLimits, fiatSide, unitOf } from './route-limits';

const tokens = { USDC: 6, BRLA: 18, BRZ: 18, BRS: 6 } as const;
type Symbol = keyof typeof tokens;

const codeOf = (
  [direction, currency, symbol]: readonly ['onRamp' | 'offRamp', 'BRL' | 'USD', Symbol],
  side: 'in' | 'out',
  amount: bigint,
): string => {
  try {
    assertWithinRouteLimits({ direction, currency, token: { symbol, decimals: tokens[symbol] } }, side, amount);
    return 'ok';
  } catch (error) {
    return isServiceError(error) ? error.code : String(error);
  }
};

const dollars = (whole: bigint): bigint => whole * 1_000_000n;

describe('the limits of ramp routes are exact to the unit', () => {
  it.each([
    [['offRamp', 'BRL', 'USDC'], 'in', dollars(1n), ['LOW', 'LOW', '']],
    [['offRamp', 'BRL', 'USDC'], 'in', dollars(20_000n), ['', 'HIGH', 'HIGH']],
    [['offRamp', 'USD', 'USDC'], 'in', dollars(1n), ['LOW', 'LOW', '']],
    [['offRamp', 'USD', 'USDC'], 'in', dollars(20_000n), ['', 'HIGH', 'HIGH']],
    [['offRamp', 'BRL', 'BRLA'], 'out', 50n, ['LOW', '', '']],
    [['offRamp', 'BRL', 'BRZ'], 'out', 50n, ['LOW', '', '']],
    [['offRamp', 'BRL', 'BRS'], 'out', 50n, ['LOW', '', '']],
    [['offRamp', 'BRL', 'USDC'], 'out', 500n, ['LOW', '', '']],
    [['offRamp', 'BRL', 'USDC'], 'out', 11_000_000n, ['', 'HIGH', 'HIGH']],
    [['offRamp', 'BRL', 'BRLA'], 'out', 11_000_000n, ['', 'HIGH', 'HIGH']],
    [['onRamp', 'BRL', 'BRLA'], 'in', 50n, ['LOW', '', '']],
    [['onRamp', 'BRL', 'BRS'], 'in', 50n, ['LOW', '', '']],
    [['onRamp', 'BRL', 'USDC'], 'in', 100n, ['LOW', '', '']],
    [['onRamp', 'BRL', 'USDC'], 'in', 10_000_000n, ['', '', 'HIGH']],
    [['onRamp', 'BRL', 'BRLA'], 'in', 10_000_000n, ['', '', 'HIGH']],
    [['onRamp', 'BRL', 'USDC'], 'out', dollars(1n), ['LOW', 'LOW', '']],
    [['onRamp', 'BRL', 'USDC'], 'out', dollars(20_000n), ['', '', 'HIGH']],
    [['onRamp', 'USD', 'USDC'], 'out', dollars(1n), ['LOW', 'LOW', '']],
    [['onRamp', 'USD', 'USDC'], 'out', dollars(20_000n), ['', '', 'HIGH']],
  ] as const)('%s, amount %s around %s', (...row) => {
    const [route, side, bound, expected] = row;
    const suffix = route[0] === 'onRamp' ? 'ONRAMP' : 'OFFRAMP';
    const codes = [-1n, 0n, 1n].map((step) => codeOf(route, side, bound + step));
    const expectedCodes = expected.map((end) =>
      end === '' ? 'ok' : `AMOUNT_${side.toUpperCase()}_TOO_${end}_${suffix}`,
    );
    expect(codes).toEqual(expectedCodes);
  });

  it('are part of the error, in the smallest unit and as text', () => {
    const route = { direction: 'offRamp', currency: 'BRL', token: { symbol: 'USDC', decimals: 6 } } as const;
    expect(() => assertWithinRouteLimits(route, 'out', 1n)).toThrow('min ~5 BRL');
    try {
      assertWithinRouteLimits(route, 'out', 1n);
    } catch (error) {
      expect(error).toMatchObject({ details: { minimum: '500', maximum: '11000000', currency: 'BRL' } });
    }
  });

  it('are "more than" and "less than" where the limit itself is refused', () => {
    const route = { direction: 'offRamp', currency: 'USD', token: { symbol: 'USDC', decimals: 6 } } as const;
    expect(() => assertWithinRouteLimits(route, 'in', dollars(1n))).toThrow('(min more than 1 USDC)');
    expect(() => assertWithinRouteLimits(route, 'in', dollars(20_000n))).toThrow('(max less than 20000 USDC)');
  });
});

describe('the amount that a quote computes', () => {
  const routeOf = (direction: 'onRamp' | 'offRamp', currency: 'BRL' | 'USD', symbol: Symbol) =>
    ({ direction, currency, token: { symbol, decimals: tokens[symbol] } }) as const;

  it.each([
    { code: 'AMOUNT_OUT_TOO_LOW_OFFRAMP', route: routeOf('offRamp', 'BRL', 'BRLA'), side: 'out', amount: 49n },
    { code: 'AMOUNT_OUT_TOO_HIGH_OFFRAMP', route: routeOf('offRamp', 'BRL', 'BRLA'), side: 'out', amount: 11_000_000n },
    { code: 'AMOUNT_OUT_TOO_HIGH_OFFRAMP', route: routeOf('offRamp', 'BRL', 'USDC'), side: 'out', amount: 11_000_000n },
    {
      code: 'AMOUNT_OUT_TOO_HIGH_ONRAMP',
      route: routeOf('onRamp', 'BRL', 'USDC'),
      side: 'out',
      amount: 20_000_000_001n,
    },
    { code: 'AMOUNT_OUT_TOO_LOW_ONRAMP', route: routeOf('onRamp', 'USD', 'USDC'), side: 'out', amount: 1_000_000n },
    {
      code: 'AMOUNT_IN_TOO_HIGH_OFFRAMP',
      route: routeOf('offRamp', 'USD', 'USDC'),
      side: 'in',
      amount: 20_000_000_000n,
    },
  ] as const)('is refused with $code', ({ code, route, side, amount }) => {
    expect(() => assertQuotedWithinRouteLimits(route, side, amount)).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });

  it('may be below the minimum when the requested side has limits', () => {
    expect(() => assertQuotedWithinRouteLimits(routeOf('onRamp', 'BRL', 'USDC'), 'out', 180_000n)).not.toThrow();
    expect(() => assertQuotedWithinRouteLimits(routeOf('offRamp', 'BRL', 'USDC'), 'out', 499n)).not.toThrow();
  });
  it('may be the minimum itself, which a request could not be', () => {
    expect(() => assertQuotedWithinRouteLimits(routeOf('onRamp', 'BRL', 'USDC'), 'out', 1_000_000n)).not.toThrow();
    expect(() => assertWithinRouteLimits(routeOf('onRamp', 'BRL', 'USDC'), 'out', 1_000_000n)).toThrow();
  });
});

describe('the unit of an amount', () => {
  it.each([
    ['onRamp', 'in', 'out'],
    ['offRamp', 'out', 'in'],
  ] as const)('of an %s is the cent on the side %s, and that of the token on the side %s', (direction, fiat, other) => {
    const route = { direction, currency: 'BRL', token: { symbol: 'BRLA', decimals: 18 } } as const;
    expect(fiatSide(route)).toBe(fiat);
    expect(unitOf(route, fiat)).toEqual({ decimals: 2, currency: 'BRL' });
    expect(unitOf(route, other)).toEqual({ decimals: 18, currency: 'BRLA' });
  });
});
