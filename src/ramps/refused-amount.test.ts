import { devnet, units, USDC } from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { unknownRangeError } from './amount-errors';
import { refusedAmountError } from './refused-amount';
import type { FiatCurrency, RampRoute } from './ramp-provider';

const routeOf = (direction: RampRoute['direction'], currency: FiatCurrency): RampRoute => ({
  direction,
  currency,
  rail: currency === 'BRL' ? 'PIX' : 'WIRE',
  token: USDC,
  chain: devnet,
});

/** A ramp that pays a dollar for a USDC, less its fee, and refuses payments of less than `minimum` cents. */
function rampWith({ fee = 0n, minimum = 1n }: { fee?: bigint; minimum?: bigint }, direction: RampRoute['direction']) {
  const tried: bigint[] = [];
  const microsOf = (cents: bigint) => units(cents * 10_000n);
  const quoteFiat = (cents: bigint) => {
    tried.push(cents);
    if (cents < minimum) return Promise.reject(unknownRangeError());
    const token = direction === 'onRamp' ? microsOf(cents - fee) : microsOf(cents + fee);
    if (token <= 0n) return Promise.reject(unknownRangeError());
    const [amountIn, amountOut] = direction === 'onRamp' ? [units(cents), token] : [token, units(cents)];
    return Promise.resolve({ amountIn, amountOut });
  };
  return { ramp: {}, quoteFiat, tried };
}

type Refused = Parameters<typeof refusedAmountError>[0];

/** The error of a quote that was requested just now. */
const errorOf = (refused: Omit<Refused, 'requestedAt'>, cause?: unknown) =>
  refusedAmountError({ ...refused, requestedAt: performance.now() }, cause);

const refusal = (
  [direction, currency, side, amount]: readonly [RampRoute['direction'], FiatCurrency, 'in' | 'out', bigint],
  terms: Parameters<typeof rampWith>[0],
) => {
  const request = { route: routeOf(direction, currency), side, amount: units(amount) };
  return errorOf({ request, ...rampWith(terms, direction) });
};

describe('an amount that a ramp refuses', () => {
  it('is below the fee of a wire, which is higher than the documented minimum', async () => {
    const error = await refusal(['offRamp', 'USD', 'in', 5_000_000n], { fee: 1500n });
    expect(error).toMatchObject({
      code: 'RAMP_AMOUNT_OUT_OF_RANGE',
      message: expect.stringContaining('(min ~15.01 USDC, max less than 20000 USDC)'),
      details: { minimum: '15010000', maximum: '20000000000', currency: 'USDC' },
    });
  });

  it.each([
    ['an exact input', ['offRamp', 'USD', 'in', 20_000_000n], { minimum: '25000000', currency: 'USDC' }],
    ['an exact output', ['offRamp', 'USD', 'out', 900n], { minimum: '1000', currency: 'USD' }],
  ] as const)("is below the ramp's own minimum, named on the side of %s", async (_, amount, details) => {
    expect(await refusal(amount, { fee: 1500n, minimum: 1000n })).toMatchObject({ details });
  });

  it('has a minimum between the amounts that are tried, to about two percent', async () => {
    const { details } = await refusal(['onRamp', 'BRL', 'in', 2500n], { minimum: 3333n });
    const minimum = Number.parseInt(String(details?.['minimum']), 10);
    expect(minimum).toBeGreaterThanOrEqual(3333);
    expect(minimum).toBeLessThan(3400);
  });

  it('is too high when it is not too low: less than itself is the only known maximum', async () => {
    expect(await refusal(['offRamp', 'USD', 'in', 9_000_000_000n], { fee: 1500n })).toMatchObject({
      message: expect.stringContaining('(min ~15.01 USDC, max less than 9000 USDC)'),
      details: { minimum: '15010000', maximum: '9000000000', currency: 'USDC' },
    });
  });

  it('has the documented minimum where the ramp would accept less', async () => {
    expect(await refusal(['offRamp', 'BRL', 'in', 1_500_000n], {})).toMatchObject({
      message: expect.stringContaining('(min more than 1 USDC, max less than 1.5 USDC)'),
    });
  });

  it('of an on-ramp has to buy more than the documented minimum of the token', async () => {
    const { details } = await refusal(['onRamp', 'USD', 'in', 2n], { fee: 2n });
    const minimum = Number.parseInt(String(details?.['minimum']), 10);
    expect(minimum).toBeGreaterThanOrEqual(103);
    expect(minimum).toBeLessThanOrEqual(106);
  });

  const request = { route: routeOf('offRamp', 'USD'), side: 'in', amount: units(5_000_000n) } as const;
  const UNKNOWN = { message: expect.stringContaining('does not report'), cause: 'cause', details: undefined };
  const FOUND = { details: { minimum: '15010000', maximum: '20000000000', currency: 'USDC' } };

  it('has a range that is searched once a minute', async () => {
    const { tried, ...ramp } = rampWith({ fee: 1500n }, 'offRamp');
    expect(await errorOf({ request, ...ramp })).toMatchObject(FOUND);
    expect(await errorOf({ request: { ...request, amount: units(6_000_000n) }, ...ramp })).toMatchObject(FOUND);
    expect(tried).toEqual([1n]);
  });

  it('has no range while the ramp prices nothing, and the search is not repeated at once', async () => {
    const quoteFiat = jest.fn(() => Promise.reject(unknownRangeError()));
    const ramp = { ramp: {}, quoteFiat };
    expect(await errorOf({ request, ...ramp }, 'cause')).toMatchObject(UNKNOWN);
    expect(await errorOf({ request, ...ramp }, 'cause')).toMatchObject(UNKNOWN);
    expect(quoteFiat).toHaveBeenCalledTimes(8);
  });

  it('has a range that callers at the same time search together', async () => {
    const { tried, ...ramp } = rampWith({ fee: 1500n }, 'offRamp');
    const errors = await Promise.all([1, 2, 3].map(() => errorOf({ request, ...ramp })));
    for (const error of errors) expect(error).toMatchObject(FOUND);
    expect(tried).toEqual([1n]);
  });

  it.each(['the first', 'a later'])('has no range when %s price fails, and the next search finds it', async (at) => {
    const { tried, ...ramp } = rampWith({ fee: 1500n, minimum: 150n }, 'offRamp');
    let failing = true;
    const quoteFiat: Refused['quoteFiat'] = (cents) =>
      failing && (at === 'the first' || tried.length > 2)
        ? Promise.reject(serviceError('QUOTE_GENERATION_FAILED', { reason: 'the ramp is overloaded' }))
        : ramp.quoteFiat(cents);
    expect(await errorOf({ request, ramp: ramp.ramp, quoteFiat }, 'cause')).toMatchObject(UNKNOWN);
    failing = false;
    expect((await errorOf({ request, ramp: ramp.ramp, quoteFiat })).details).toMatchObject({ currency: 'USDC' });
  });

  it('has no range after a second, and a range for later callers when the slow search has ended', async () => {
    const keepAlive = setTimeout(() => undefined, 10_000); // timers of the search do not keep the process alive
    const ramp = rampWith({ fee: 1500n }, 'offRamp');
    let respond: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (respond = resolve));
    const quoteFiat: Refused['quoteFiat'] = (cents) => slow.then(() => ramp.quoteFiat(cents));
    const startedAt = performance.now();
    expect(await errorOf({ request, ramp: ramp.ramp, quoteFiat }, 'cause')).toMatchObject(UNKNOWN);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    const late = { request, ramp: ramp.ramp, quoteFiat, requestedAt: startedAt - 2000 };
    expect(await refusedAmountError(late, 'cause')).toMatchObject(UNKNOWN);
    respond();
    await new Promise(setImmediate);
    expect(await errorOf({ request, ramp: ramp.ramp, quoteFiat })).toMatchObject(FOUND);
    expect(ramp.tried).toEqual([1n]);
    clearTimeout(keepAlive);
  });
});
