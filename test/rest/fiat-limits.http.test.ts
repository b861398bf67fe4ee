import type { ErrorCode } from '../../src/errors/catalog';
import { routeLimits } from '../../src/ramps/route-limits';
import { newBrCode } from '../ramps/new-br-code';
import { customerNamed, type RestResponse, runningService } from '../setup/running-service';
import { quote, tokenOf } from './error-codes-cases';
import { requestSender } from './error-codes-world';
import { expectFailure } from './expect-failure';
import { offRamp, onRamp, PIX_KEY } from './fiat-codes-cases';

const service = runningService();
const send = requestSender(service.baseUrl, customerNamed(service, 'load').apiKey);

interface Bounded {
  readonly direction: 'onRamp' | 'offRamp';
  readonly currency: 'BRL' | 'USD';
  readonly symbol: keyof typeof DECIMALS;
}

const DECIMALS = { BRLA: 18, USDC: 6 } as const;
const [TO_BRLA, BRLA_OUT] = [route('onRamp', 'BRL', 'BRLA'), route('offRamp', 'BRL', 'BRLA')];
const [REAIS_IN, REAIS_OUT] = [route('onRamp', 'BRL', 'USDC'), route('offRamp', 'BRL', 'USDC')];
const [DOLLARS_IN, DOLLARS_OUT] = [route('onRamp', 'USD', 'USDC'), route('offRamp', 'USD', 'USDC')];
const ROUTES = [TO_BRLA, BRLA_OUT, REAIS_IN, REAIS_OUT, DOLLARS_IN, DOLLARS_OUT];

function route(direction: Bounded['direction'], currency: Bounded['currency'], symbol: Bounded['symbol']): Bounded {
  return { direction, currency, symbol };
}

/** The contract's table of limits, in the smallest units: minimum and maximum, and whether each bound is inclusive. */
const LIMITS = [
  [TO_BRLA, 'in', [50n, true], [10_000_000n, true], 'BRL'],
  [BRLA_OUT, 'out', [50n, true], [11_000_000n, false], 'BRL'],
  [REAIS_IN, 'in', [100n, true], [10_000_000n, true], 'BRL'],
  [REAIS_IN, 'out', [1_000_000n, false], [20_000_000_000n, true], 'USDC'],
  [REAIS_OUT, 'in', [1_000_000n, false], [20_000_000_000n, false], 'USDC'],
  [REAIS_OUT, 'out', [500n, true], [11_000_000n, false], 'BRL'],
  [DOLLARS_IN, 'out', [1_000_000n, false], [20_000_000_000n, true], 'USDC'],
  [DOLLARS_OUT, 'in', [1_000_000n, false], [20_000_000_000n, false], 'USDC'],
] as const;

const name = ({ direction, currency, symbol }: Bounded): string => `${direction} ${currency} ${symbol}`;

function quoteOf({ direction, currency, symbol }: Bounded, amount: Readonly<Record<string, string>>) {
  const token = tokenOf(service, 'devnet', symbol);
  return direction === 'onRamp'
    ? quote(send, onRamp(service, { tokenIn: currency, tokenOut: token, ...amount }))
    : quote(send, offRamp(service, { tokenIn: token, tokenOut: currency, ...amount }));
}

interface Refusal {
  readonly code: ErrorCode;
  readonly details?: { readonly minimum: string; readonly maximum: string; readonly currency: string };
}

/** Asserts that the response is an error with these bounds, or a quote when no error is expected. */
function expectQuoteOr(response: RestResponse, refusal: Refusal | undefined): void {
  if (refusal === undefined) {
    expect({ status: response.status, body: response.body }).toMatchObject({ status: 200, body: { quote: {} } });
    return;
  }
  expectFailure(response, refusal.code);
  expect(response.body.error.details).toEqual(refusal.details);
}

describe('the limits of ramps', () => {
  it('equal the limits of the contract, on each limited side', () => {
    const sides = ROUTES.flatMap((each) => {
      const { direction, currency, symbol } = each;
      const ranges = routeLimits({ direction, currency, token: { symbol, decimals: DECIMALS[symbol] } });
      return (['in', 'out'] as const).flatMap((side) => {
        const range = ranges[side];
        if (range === undefined) return [];
        const bounds = [range.minimum, range.maximum].map(({ units, inclusive }) => [units, inclusive]);
        return [[name(each), side, ...bounds, range.currency]];
      });
    });
    expect(sides).toEqual(LIMITS.map(([each, ...rest]) => [name(each), ...rest]));
  });

  const points = LIMITS.flatMap(([each, side, [minimum, isMinimumAllowed], [maximum, isMaximumAllowed], currency]) => {
    const details = { minimum: minimum.toString(), maximum: maximum.toString(), currency };
    const suffix = each.direction === 'onRamp' ? 'ONRAMP' : 'OFFRAMP';
    const refusal = (end: 'LOW' | 'HIGH'): Refusal => ({
      code: `AMOUNT_${side === 'in' ? 'IN' : 'OUT'}_TOO_${end}_${suffix}` as ErrorCode,
      details,
    });
    const at = (amount: bigint, refused: Refusal | undefined) => ({
      name: name(each),
      side,
      amount,
      route: each,
      refused: refused ?? errorWithinLimits(each, side, amount),
      code: refused?.code ?? 'quoted',
    });
    return [
      ...[
        at(minimum - 1n, refusal('LOW')),
        at(minimum, isMinimumAllowed ? undefined : refusal('LOW')),
        at(minimum + 1n, undefined),
      ],
      ...[
        at(maximum - 1n, undefined),
        at(maximum, isMaximumAllowed ? undefined : refusal('HIGH')),
        at(maximum + 1n, refusal('HIGH')),
      ],
    ];
  });

  /** The error of an amount that is within the limits and cannot be quoted for another reason. */
  function errorWithinLimits(each: Bounded, side: 'in' | 'out', amount: bigint): Refusal | undefined {
    if (side === 'out' && each.currency === 'BRL') return { code: 'ROUTER_EXACT_OUT_UNSUPPORTED' };
    // Below the wire fee of the bank: the minimum pays out a cent.
    const details = { minimum: '15010000', maximum: '20000000000', currency: 'USDC' };
    return each === DOLLARS_OUT && amount < 15_000_000n ? { code: 'RAMP_AMOUNT_OUT_OF_RANGE', details } : undefined;
  }

  it.each(points)('$name, amount $side of $amount: $code', async ({ route: each, side, amount, refused }) => {
    const exact = side === 'in' ? 'amountIn' : 'amountOut';
    expectQuoteOr(await quoteOf(each, { [exact]: amount.toString() }), refused);
  });
});

describe('the output for an exact amountIn', () => {
  const cents = 10n ** 16n;
  const details = { minimum: '50', maximum: '11000000', currency: 'BRL' };

  it.each([
    [49n, 'AMOUNT_OUT_TOO_LOW_OFFRAMP'],
    [50n, undefined],
    [51n, undefined],
    [10_999_999n, undefined],
    [11_000_000n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
    [11_000_001n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
  ] as const)('must be within the BRL limits: %s cents of BRLA, %s', async (amount, code) => {
    const response = await quoteOf(BRLA_OUT, { amountIn: (amount * cents).toString() });
    expectQuoteOr(response, code === undefined ? undefined : { code, details });
    if (code === undefined) expect(response.body.quote.expectedAmountOut).toBe(amount.toString());
  });

  // The ramp deducts two cents for gas.
  it.each([
    [101n, 'AMOUNT_OUT_TOO_LOW_ONRAMP'],
    [102n, 'AMOUNT_OUT_TOO_LOW_ONRAMP'],
    [103n, undefined],
    [2_000_001n, undefined],
    [2_000_002n, undefined],
    [2_000_003n, 'AMOUNT_OUT_TOO_HIGH_ONRAMP'],
  ] as const)('must be within the USDC limits: %s cents, %s', async (amount, code) => {
    const dollars = { minimum: '1000000', maximum: '20000000000', currency: 'USDC' };
    const response = await quoteOf(DOLLARS_IN, { amountIn: amount.toString() });
    expectQuoteOr(response, code === undefined ? undefined : { code, details: dollars });
  });
});

describe('the fixed amount of a BR Code', () => {
  const details = { minimum: '50', maximum: '11000000', currency: 'BRL' };

  it.each([
    [49n, 'AMOUNT_OUT_TOO_LOW_OFFRAMP'],
    [50n, undefined],
    [51n, undefined],
    [10_999_999n, undefined],
    [11_000_000n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
    [11_000_001n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
  ] as const)('must be within the BRL limits: %s cents, %s', async (cents, code) => {
    const pixKey = newBrCode({ pixKey: PIX_KEY, cents });
    const response = await quoteOf(BRLA_OUT, { amountIn: (200_000n * 10n ** 18n).toString(), pixKey });
    expectQuoteOr(response, code === undefined ? undefined : { code, details });
  });
});

describe('slippage', () => {
  it.each([
    ['0.000099', 'INVALID_SLIPPAGE'],
    ['0.0001', undefined],
    ['0.000101', undefined],
    ['0.499999', undefined],
    ['0.5', undefined],
    ['0.500001', 'INVALID_SLIPPAGE'],
  ] as const)('%s: %s', async (slippage, code) => {
    const response = await quoteOf(REAIS_IN, { amountIn: '10000', slippage });
    expectQuoteOr(response, code === undefined ? undefined : { code });
  });
});
