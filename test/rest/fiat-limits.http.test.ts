import type { ErrorCode } from '../../src/errors/catalog';
import { rampLimits } from '../../src/ramps/ramp-limits';
import { newBrCode } from '../ramps/new-br-code';
import { customerNamed, type RestResponse, runningService } from '../setup/running-service';
import { quote, tokenOf } from './error-codes-cases';
import { askerOf } from './error-codes-world';
import { expectFailure } from './expect-failure';
import { offRamp, onRamp, PIX_KEY } from './fiat-codes-cases';

const service = runningService();
const ask = askerOf(service.baseUrl, customerNamed(service, 'load').apiKey);

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

/** The contract's table of limits, in the smallest units: least and most, and whether each of them is allowed itself. */
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
    ? quote(ask, onRamp(service, { tokenIn: currency, tokenOut: token, ...amount }))
    : quote(ask, offRamp(service, { tokenIn: token, tokenOut: currency, ...amount }));
}

interface Refusal {
  readonly code: ErrorCode;
  readonly details?: { readonly minimum: string; readonly maximum: string; readonly currency: string };
}

/** Asserts that an answer is a refusal with these bounds, or a quote when none is expected. */
function expectAnswer(answer: RestResponse, refusal: Refusal | undefined): void {
  if (refusal === undefined) {
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200, body: { quote: {} } });
    return;
  }
  expectFailure(answer, refusal.code);
  expect(answer.body.error.details).toEqual(refusal.details);
}

describe('the limits of the ramps', () => {
  it('are those of the contract, on each side that has some', () => {
    const sides = ROUTES.flatMap((each) => {
      const { direction, currency, symbol } = each;
      const ranges = rampLimits({ direction, currency, token: { symbol, decimals: DECIMALS[symbol] } });
      return (['in', 'out'] as const).flatMap((side) => {
        const range = ranges[side];
        if (range === undefined) return [];
        const bounds = [range.least, range.most].map(({ units, inclusive }) => [units, inclusive]);
        return [[name(each), side, ...bounds, range.currency]];
      });
    });
    expect(sides).toEqual(LIMITS.map(([each, ...rest]) => [name(each), ...rest]));
  });

  const points = LIMITS.flatMap(([each, side, [least, isLeast], [most, isMost], currency]) => {
    const details = { minimum: least.toString(), maximum: most.toString(), currency };
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
      refused: refused ?? otherwise(each, side, amount),
      code: refused?.code ?? 'fine',
    });
    return [
      ...[at(least - 1n, refusal('LOW')), at(least, isLeast ? undefined : refusal('LOW')), at(least + 1n, undefined)],
      ...[at(most - 1n, undefined), at(most, isMost ? undefined : refusal('HIGH')), at(most + 1n, refusal('HIGH'))],
    ];
  });

  /** What else keeps an amount within the limits from being quoted. */
  function otherwise(each: Bounded, side: 'in' | 'out', amount: bigint): Refusal | undefined {
    if (side === 'out' && each.currency === 'BRL') return { code: 'ROUTER_EXACT_OUT_UNSUPPORTED' };
    // The bank's charge for a wire is more than a dollar.
    return each === DOLLARS_OUT && amount < 15_000_000n ? { code: 'RAMP_AMOUNT_OUT_OF_RANGE' } : undefined;
  }

  it.each(points)('$name, amount $side of $amount: $code', async ({ route: each, side, amount, refused }) => {
    const exact = side === 'in' ? 'amountIn' : 'amountOut';
    expectAnswer(await quoteOf(each, { [exact]: amount.toString() }), refused);
  });
});

describe('what comes out of an exact amount in', () => {
  const cents = 10n ** 16n;
  const details = { minimum: '50', maximum: '11000000', currency: 'BRL' };

  it.each([
    [49n, 'AMOUNT_OUT_TOO_LOW_OFFRAMP'],
    [50n, undefined],
    [51n, undefined],
    [10_999_999n, undefined],
    [11_000_000n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
    [11_000_001n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
  ] as const)('is held to the limits of reais: %s cents of BRLA, %s', async (amount, code) => {
    const answer = await quoteOf(BRLA_OUT, { amountIn: (amount * cents).toString() });
    expectAnswer(answer, code === undefined ? undefined : { code, details });
    if (code === undefined) expect(answer.body.quote.expectedAmountOut).toBe(amount.toString());
  });

  // Two cents are the ramp's, for gas.
  it.each([
    [101n, 'AMOUNT_OUT_TOO_LOW_ONRAMP'],
    [102n, 'AMOUNT_OUT_TOO_LOW_ONRAMP'],
    [103n, undefined],
    [2_000_001n, undefined],
    [2_000_002n, undefined],
    [2_000_003n, 'AMOUNT_OUT_TOO_HIGH_ONRAMP'],
  ] as const)('is held to the limits of dollars: %s cents, %s', async (amount, code) => {
    const dollars = { minimum: '1000000', maximum: '20000000000', currency: 'USDC' };
    const answer = await quoteOf(DOLLARS_IN, { amountIn: amount.toString() });
    expectAnswer(answer, code === undefined ? undefined : { code, details: dollars });
  });
});

describe('what a BR Code charges', () => {
  const details = { minimum: '50', maximum: '11000000', currency: 'BRL' };

  it.each([
    [49n, 'AMOUNT_OUT_TOO_LOW_OFFRAMP'],
    [50n, undefined],
    [51n, undefined],
    [10_999_999n, undefined],
    [11_000_000n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
    [11_000_001n, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
  ] as const)('is held to the limits of reais: %s cents, %s', async (cents, code) => {
    const pixKey = newBrCode({ pixKey: PIX_KEY, cents });
    const answer = await quoteOf(BRLA_OUT, { amountIn: (200_000n * 10n ** 18n).toString(), pixKey });
    expectAnswer(answer, code === undefined ? undefined : { code, details });
  });
});

describe('the slippage', () => {
  it.each([
    ['0.000099', 'INVALID_SLIPPAGE'],
    ['0.0001', undefined],
    ['0.000101', undefined],
    ['0.499999', undefined],
    ['0.5', undefined],
    ['0.500001', 'INVALID_SLIPPAGE'],
  ] as const)('of %s: %s', async (slippage, code) => {
    const answer = await quoteOf(REAIS_IN, { amountIn: '10000', slippage });
    expectAnswer(answer, code === undefined ? undefined : { code });
  });
});
