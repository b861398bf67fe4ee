import {
  DOLLAR,
  OTHER,
  poolOf,
  depsWith,
  quote,
  refusal,
  recorded,
  withFixedCost,
  listed,
  streamed,
  pool,
  deep,
  LARGE,
} from '../../test/swaps/impact-world';
import {
  BRL,
  CUSTOMER,
  devnetL2,
  fakeProvider,
  L2_USDC,
  offerFor,
  PRICED,
  quoteDeps,
  rejection,
  units,
  USDC,
} from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { amountInTooHigh } from '../venues/amount-bounds';
import type { QuoteRequest } from '../venues/quote-provider';
import { quoteSwap } from './quote-swap';

describe('an offer that loses more than the bound', () => {
  it('is refused with the largest amount within the bound, which is then quoted', async () => {
    const { code, message, details } = await refusal([pool], LARGE);
    expect(code).toBe('AMOUNT_IN_TOO_HIGH');
    expect(details).toEqual({
      maximum: expect.stringMatching(/^\d+$/),
      currency: 'USDC',
      decimals: 6,
      priceImpactBps: 3334,
      maxPriceImpactBps: 1500,
    });
    const maximum = BigInt(details['maximum']!);
    expect(maximum).toBeGreaterThan(165_000n * DOLLAR);
    expect(maximum).toBeLessThanOrEqual(176_470n * DOLLAR);
    expect(message).toContain(`(max ~${maximum / DOLLAR} USDC with a price impact of at most 15 %)`);
    const { offer } = await quote([pool], { amountIn: maximum.toString() });
    expect(offer.provider).toBe('pool');
  });

  it('is accepted when the caller allows it, and refused when the caller allows less', async () => {
    expect((await quote([pool], { ...LARGE, maxPriceImpactBps: 3334 })).offer.amountIn).toBe(500_000n * DOLLAR);
    expect((await quote([pool], { ...LARGE, maxPriceImpactBps: 10_000 })).offer.provider).toBe('pool');
    const { details } = await refusal([pool], { amountIn: (50_000n * DOLLAR).toString(), maxPriceImpactBps: 100 });
    expect(BigInt(details['maximum']!)).toBeLessThanOrEqual(10_101n * DOLLAR);
    expect(details).toMatchObject({ priceImpactBps: 477, maxPriceImpactBps: 100 });
  });

  it('does not win against one within the bound', async () => {
    const { offer } = await quote([pool, deep], LARGE);
    expect(offer.provider).toBe('deep');
  });

  it('exceeds it by a fraction of a basis point', async () => {
    const losing = (priced: bigint) =>
      fakeProvider('losing', (request) =>
        Promise.resolve(offerFor(request, { provider: 'losing', priced: (request.amount * priced) / 1_000_000n })),
      );
    const fields = { amountIn: (100n * DOLLAR).toString() };
    expect((await quote([losing(850_000n)], fields)).offer.provider).toBe('losing');
    expect(await refusal([losing(849_901n)], fields)).toMatchObject({ details: { priceImpactBps: 1501 } });
  });

  it('is refused with the bound of the provider that can fill the most', async () => {
    const { details } = await refusal([poolOf('small', 100_000n * DOLLAR), pool], LARGE);
    expect(BigInt(details['maximum']!)).toBeGreaterThan(165_000n * DOLLAR);
  });

  it('is refused for an exact output as well, with the largest amounts of both sides', async () => {
    const { code, details, message } = await refusal([pool], {
      amountIn: '',
      amountOut: (300_000n * DOLLAR).toString(),
    });
    expect(code).toBe('AMOUNT_IN_TOO_HIGH');
    expect(message).toMatch(/max ~[0-9.]+ USDC for [0-9.]+ OUSD with a price impact of at most 15 %/);
    const { offer } = await quote([pool], { amountIn: '', amountOut: details['maximumAmountOut'] });
    expect(offer.amountIn).toBeLessThanOrEqual(BigInt(details['maximum']!));
  });

  it('has no maximum where every amount loses more, as at a pool with a wrong price', async () => {
    const { code, message, details } = await refusal([poolOf('skewed', 10n ** 15n, { skew: 50n })], LARGE);
    expect(code).toBe('QUOTE_GENERATION_FAILED');
    expect(message).toMatch(/: the price is 50\.[0-9]+ % below the market, more than the allowed 15 %$/);
    expect(details).toEqual({ priceImpactBps: expect.any(Number), maxPriceImpactBps: 1500 });
  });

  it('is accepted when the loss is less than a cent: small amounts are rounded', async () => {
    const rounding = poolOf('rounding', 10n ** 15n, { skew: 50n });
    expect((await quote([rounding], { amountIn: '19990' })).offer.provider).toBe('rounding');
    expect(await refusal([rounding], { amountIn: '20002' })).toMatchObject({ code: 'QUOTE_GENERATION_FAILED' });
  });

  it('is accepted where its loss is unknown', async () => {
    const unpriced = { ...depsWith([]), prices: { priceUsd: () => Promise.resolve(undefined) } };
    const silent = fakeProvider('silent', (request: QuoteRequest) =>
      Promise.resolve(offerFor(request, { provider: 'silent', priced: 1n, priceImpactBps: undefined })),
    );
    const fields = { ...PRICED, tokenOut: OTHER.address };
    const swap = await quoteSwap({ ...unpriced, providers: [silent] }, { customerId: CUSTOMER, fields });
    expect(swap.offer.provider).toBe('silent');
  });

  it('is accepted with the bound of 10000, whatever its venue reports', async () => {
    const reporting = (id: string, priced: bigint, priceImpactBps: number) =>
      fakeProvider(id, (request) => Promise.resolve(offerFor(request, { provider: id, priced, priceImpactBps })));
    const deps = {
      ...depsWith([reporting('absurd', 9n, 20_000), reporting('plain', 7n, 0)]),
      prices: { priceUsd: () => Promise.resolve(undefined) },
    };
    const fields = { ...PRICED, tokenOut: OTHER.address };
    const bestWithin = async (maxPriceImpactBps: number): Promise<string> =>
      (await quoteSwap({ ...deps, maxPriceImpactBps }, { customerId: CUSTOMER, fields })).offer.provider;
    expect(await bestWithin(10_000)).toBe('absurd');
    expect(await bestWithin(9999)).toBe('plain');
  });

  it('has a reason in lists and streams of quotes', async () => {
    const fields = { ...PRICED, tokenOut: OTHER.address, ...LARGE };
    const refused = {
      provider: 'pool',
      quote: undefined,
      reason: { code: 'AMOUNT_IN_TOO_HIGH', message: expect.stringContaining('of at most 15 %') },
    };
    expect(await listed(depsWith([pool]), fields)).toMatchObject([refused]);
    expect(await streamed(depsWith([pool]), fields, 1)).toMatchObject([{ ...refused, outstanding: 0 }]);
  });
});

describe('a small amount of a provider with a fixed cost that it does not list', () => {
  const RAMP = { ...PRICED, originChain: 'fiat', tokenIn: 'BRL', tokenOut: USDC.address };
  const BRIDGE = { ...PRICED, destinationChain: devnetL2.slug, tokenOut: L2_USDC.address };

  it.each([
    ['ramp', 'primary', RAMP, 10n ** BigInt(BRL.decimals)],
    ['bridge', 'bridge', BRIDGE, DOLLAR],
  ])('is refused with its price at a %s, after one smaller amount', async (_, ...[id, route, whole]) => {
    const { provider, amounts } = recorded(withFixedCost(id));
    const deps = quoteDeps({ providers: [provider], maxPriceImpactBps: 1500 });
    const quoteOf = (dollars: bigint) =>
      quoteSwap(deps, { customerId: CUSTOMER, fields: { ...route, amountIn: (dollars * whole).toString() } });
    expect(await rejection(quoteOf(10n))).toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      status: 400,
      message:
        'No quote could be generated for these parameters: the price is 20 % below the market, more than the allowed 15 %',
      details: { priceImpactBps: 2000, maxPriceImpactBps: 1500 },
    });
    expect(amounts).toHaveLength(2);
    expect((await quoteOf(14n)).offer.amountIn).toBe(units(14n * whole));
  });
});

describe('an amount that a venue cannot fill', () => {
  const filled = poolOf('filled', 1_000_000n * DOLLAR, { capacity: 2_000_000n * DOLLAR });

  it('has the largest amount within the bound, not the capacity of the venue, on both sides', async () => {
    for (const fields of [
      { amountIn: (9_000_000n * DOLLAR).toString() },
      { amountIn: '', amountOut: (9_000_000n * DOLLAR).toString() },
    ]) {
      const { code, details } = await refusal([filled], fields);
      expect(code).toBe('AMOUNT_IN_TOO_HIGH');
      const maximum = BigInt(details['maximum']!);
      expect(maximum).toBeGreaterThan(165_000n * DOLLAR);
      expect(maximum).toBeLessThanOrEqual(176_470n * DOLLAR);
    }
  });

  it('has the capacity of the venue where that is within the bound, and where every price is allowed', async () => {
    const shallow = poolOf('shallow', 10n ** 15n, { capacity: 1000n * DOLLAR });
    const within = await refusal([shallow], LARGE);
    expect(within.details).toMatchObject({ maximum: (1000n * DOLLAR).toString(), maxPriceImpactBps: 1500 });
    const any = await refusal([filled], { amountIn: (9_000_000n * DOLLAR).toString() }, 10_000);
    expect(any.details).toEqual({ maximum: (2_000_000n * DOLLAR).toString(), currency: 'USDC', decimals: 6 });
  });

  it('has no route when the venue cannot trade the token at all', async () => {
    const untradable = fakeProvider('untradable', (request) =>
      request.amount > 100n ? Promise.reject(amountInTooHigh(100n, USDC)) : Promise.resolve(undefined),
    );
    expect(await refusal([untradable], LARGE)).toMatchObject({ code: 'NO_ROUTE_FOUND' });
  });

  it('keeps its reason while the venue is unavailable for another price', async () => {
    const failing = fakeProvider('failing', (request) =>
      Promise.reject(
        request.amount > 100n
          ? amountInTooHigh(100n, USDC)
          : serviceError('PROVIDER_UNAVAILABLE', { provider: 'failing', reason: 'it is down' }),
      ),
    );
    expect(await refusal([failing], LARGE)).toMatchObject({ details: { maximum: '100' } });
  });
});

it('requests a few prices of the provider at most', async () => {
  let requests = 0;
  const counting = fakeProvider('pool', (request, signal) => {
    requests += 1;
    return pool.quote(request, signal);
  });
  await refusal([counting], { amountIn: (10n ** 20n).toString() });
  expect(requests).toBeLessThanOrEqual(7);
});
