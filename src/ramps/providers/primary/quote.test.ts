import fc from 'fast-check';
import { devnet, units, USDC } from '../../../../test/swaps/swap-world';
import type { HttpClient } from '../../../http/http-client';
import { UpstreamError } from '../../../http/upstream-error';
import type { RampRoute } from '../../ramp-provider';
import { quoteRoute } from './quote';

const chain = { ...devnet, tokens: [USDC] };
const route = (direction: RampRoute['direction']): RampRoute => ({
  direction,
  currency: 'USD',
  rail: 'WIRE',
  token: USDC,
  chain,
});

/** Quotes against a ramp that returns the requested amount and `found`. */
function quoteWith(direction: RampRoute['direction'], found: object, amount: bigint) {
  const [fiat, token] = [{ currency: 'USD' }, { currency: 'USDC' }];
  const [from, to] = direction === 'onRamp' ? [fiat, token] : [token, fiat];
  const http = {
    get: (_path: string, query: Readonly<Record<string, string | undefined>>) => {
      const { inputAmount, outputAmount } = query;
      const requested = inputAmount === undefined ? { outputAmount } : { inputAmount };
      const ends = { inputCurrency: from.currency, outputCurrency: to.currency };
      return Promise.resolve({ quoteToken: 'token', appliedFees: [], ...ends, ...requested, ...found });
    },
  } as unknown as HttpClient;
  const api = {
    http,
    apiUrl: '',
    networks: { [chain.chainId]: 'POLYGON' as const },
    now: Date.now,
    checkedPayouts: new Map(),
  };
  const side = 'inputAmount' in found ? 'out' : 'in';
  const call = {
    route: route(direction),
    side,
    amount: units(amount),
    account: undefined,
    thirdParty: false,
  } as const;
  return quoteRoute(api, call, AbortSignal.timeout(5000));
}

const decimal = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.stringMatching(/^\d{1,12}$/));
const exactOf = (whole: bigint, fraction: string): bigint => BigInt(`${whole.toString()}${fraction.padEnd(12, '0')}`);

describe.each([
  ['onRamp', 2, 6],
  ['offRamp', 6, 2],
] as const)('a quote of the primary ramp, %s', (direction, decimalsIn, decimalsOut) => {
  it('rounds the input for an exact output up, by less than a unit', async () => {
    await fc.assert(
      fc.asyncProperty(decimal, async ([whole, fraction]) => {
        const inputAmount = `${whole.toString()}.${fraction}`;
        const { amountIn, amountOut } = await quoteWith(direction, { inputAmount }, 10n ** 6n);
        const [quoted, exact] = [amountIn * 10n ** BigInt(12 - decimalsIn), exactOf(whole, fraction)];
        expect(amountOut).toBe(10n ** 6n);
        expect(quoted >= exact && quoted - exact < 10n ** BigInt(12 - decimalsIn)).toBe(true);
      }),
    );
  });

  it('rounds the output for an exact input down, by less than a unit', async () => {
    await fc.assert(
      fc.asyncProperty(decimal, async ([whole, fraction]) => {
        const outputAmount = `${whole.toString()}.${fraction}`;
        const { amountIn, amountOut } = await quoteWith(direction, { outputAmount }, 10n ** 6n);
        const [quoted, exact] = [amountOut * 10n ** BigInt(12 - decimalsOut), exactOf(whole, fraction)];
        expect(amountIn).toBe(10n ** 6n);
        expect(quoted <= exact && exact - quoted < 10n ** BigInt(12 - decimalsOut)).toBe(true);
      }),
    );
  });

  it('is refused when its amount differs from the request', async () => {
    const found = { inputAmount: '1', outputAmount: '2.5' };
    await expect(quoteWith(direction, found, 10n ** 6n)).rejects.toMatchObject({ code: 'QUOTE_GENERATION_FAILED' });
  });
});

describe('the search for the smallest payment after a refused amount', () => {
  const refusal = (status: number) =>
    new UpstreamError(`it responded with HTTP ${String(status)}`, { kind: 'status', status, body: 'inputAmount' });

  /** Quotes 5 USDC by wire at a ramp that refuses this amount. Returns the error and the signals of its requests. */
  async function quoteFive(priceOf: (dollars: string) => Promise<object>) {
    const signals: AbortSignal[] = [];
    const get: HttpClient['get'] = (_path, { outputAmount }, signal) => {
      signals.push(signal);
      return outputAmount === undefined ? Promise.reject(refusal(400)) : priceOf(String(outputAmount));
    };
    const networks = { [chain.chainId]: 'POLYGON' as const };
    const api = { http: { get } as HttpClient, apiUrl: '', networks, now: Date.now, checkedPayouts: new Map() };
    const request = {
      route: route('offRamp'),
      side: 'in',
      amount: units(5_000_000n),
      account: undefined,
      thirdParty: false,
    } as const;
    const caller = AbortSignal.timeout(5000);
    const error: unknown = await quoteRoute(api, request, caller).catch((reason: unknown) => reason);
    return { error, areOfCaller: signals.map((signal) => signal === caller) };
  }

  it('names the range, and no caller can abort it', async () => {
    const { error, areOfCaller } = await quoteFive((outputAmount) => {
      const [inputCurrency, outputCurrency] = ['USDC', 'USD'];
      const inputAmount = String(15 + Number(outputAmount));
      return Promise.resolve({ quoteToken: 'token', inputCurrency, outputCurrency, inputAmount, outputAmount });
    });
    expect(error).toMatchObject({ code: 'RAMP_AMOUNT_OUT_OF_RANGE', details: { minimum: '15010000' } });
    expect(areOfCaller).toEqual([true, false]);
  });

  it.each([429, 503])('ends at a response with status %i, which is no refusal of an amount', async (status) => {
    const { error, areOfCaller } = await quoteFive(() => Promise.reject(refusal(status)));
    expect(error).toMatchObject({ code: 'RAMP_AMOUNT_OUT_OF_RANGE', details: undefined });
    expect(areOfCaller).toEqual([true, false]);
  });
});
