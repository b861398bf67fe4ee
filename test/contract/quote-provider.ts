import { isServiceError } from '../../src/errors/service-error';
import type { BuildParameters, ProviderQuote, QuoteProvider, QuoteRequest } from '../../src/quotes/quote-provider';
import { type FaultyUpstream, FAULTS } from './faulty-upstream';

/** A provider, requests that it must treat in a certain way, and what it takes to make it fail. */
export interface QuoteProviderUnderTest {
  readonly provider: QuoteProvider;
  /** The third party that the provider asks; absent when it asks none. */
  readonly upstream: FaultyUpstream | undefined;
  /** Requests with a route, at least one for each side that the provider supports. With addresses. */
  readonly served: readonly QuoteRequest[];
  /** Supported, but there is no route. */
  readonly unroutable: readonly QuoteRequest[];
  readonly unsupported: readonly QuoteRequest[];
  /** Exact amounts in that are more than the venue can take. */
  readonly tooMuch?: readonly QuoteRequest[];
  /** Executes a quote of a served request for its addresses. Base units that left the sender and reached the recipient. */
  execute(parameters: BuildParameters): Promise<{ readonly spent: bigint; readonly received: bigint }>;
}

/** Longer than any healthy answer takes, shorter than what a provider may wait for on its own. */
const DEADLINE_MS = 700;
const GRACE_MS = 300;

/** What every adapter behind the port QuoteProvider promises. */
export function describeQuoteProvider(name: string, setUp: () => Promise<QuoteProviderUnderTest>): void {
  describe(`${name}, as a quote provider`, () => {
    let under: QuoteProviderUnderTest;
    beforeAll(async () => {
      under = await setUp();
    });
    afterAll(() => under.upstream?.close());
    afterEach(() => under.upstream?.suffer(undefined));

    const quoteOf = async (request: QuoteRequest): Promise<ProviderQuote> => {
      const quote = await under.provider.quote(request, AbortSignal.timeout(10_000));
      if (quote === undefined) throw new Error(`no route for ${request.tokenIn.symbol}/${request.tokenOut.symbol}`);
      return quote;
    };
    const parametersOf = (request: QuoteRequest, quote: ProviderQuote): BuildParameters => ({
      ...{ request, quote, sender: request.originAddress!, recipient: request.destinationAddress! },
      deadline: Math.floor(Date.now() / 1000) + 3600,
    });

    it('tells what it supports without asking anyone', () => {
      const before = under.upstream?.requests();
      for (const request of [...under.served, ...under.unroutable]) {
        expect(under.provider.capabilities.supports(request)).toBe(true);
      }
      for (const request of under.unsupported) expect(under.provider.capabilities.supports(request)).toBe(false);
      expect(under.upstream?.requests()).toBe(before);
    });

    it('has no quote where there is no route', async () => {
      for (const request of [...under.unroutable, ...under.unsupported]) {
        expect(await under.provider.quote(request, AbortSignal.timeout(10_000))).toBeUndefined();
      }
    });

    it('says how much it can take when an amount is too much', async () => {
      for (const request of under.tooMuch ?? []) {
        const error: unknown = await under.provider.quote(request, AbortSignal.timeout(10_000)).catch(asIs);
        expect(isServiceError(error) ? error.code : error).toBe('AMOUNT_IN_TOO_HIGH');
        expect((error as Error).message).toMatch(new RegExp(`max ~[0-9.]+ ${request.tokenIn.symbol}`));
      }
    });

    it('keeps the exact amount on the side that was asked for', async () => {
      for (const request of under.served) {
        const quote = await quoteOf(request);
        expect(quote.provider).toBe(under.provider.id);
        if (request.side === 'in') {
          expect(quote).toMatchObject({ amountIn: request.amount, maxAmountIn: request.amount });
          expect(quote.minAmountOut).toBeLessThanOrEqual(quote.expectedAmountOut);
        } else {
          expect(quote).toMatchObject({ expectedAmountOut: request.amount, minAmountOut: request.amount });
          expect(quote.maxAmountIn).toBeGreaterThanOrEqual(quote.amountIn);
        }
        expect(quote.minAmountOut).toBeGreaterThan(0n);
        expect(quote.gasLimit).toBeGreaterThan(21_000n);
        expect(Number.isInteger(quote.priceImpactBps) && quote.priceImpactBps >= 0).toBe(true);
        expect(quote.route.length).toBeGreaterThan(0);
      }
    });

    it('delivers exactly what it quoted while nothing moves', async () => {
      for (const request of under.served) {
        const quote = await quoteOf(request);
        const { spent, received } = await under.execute(parametersOf(request, quote));
        expect({ spent, received }).toEqual({ spent: quote.amountIn, received: quote.expectedAmountOut });
      }
    });

    it('makes the same call from a quote that was stored as JSON', async () => {
      for (const request of under.served) {
        const quote = await quoteOf(request);
        const stored = { ...quote, execution: JSON.parse(JSON.stringify(quote.execution)) as unknown };
        const [call, again] = await Promise.all(
          [quote, stored].map((each) => under.provider.build(parametersOf(request, each), AbortSignal.timeout(10_000))),
        );
        expect(again).toEqual(call);
        expect(call).toMatchObject({ chainId: request.origin.chainId, from: request.originAddress });
      }
    });

    it('gives up as soon as the caller does', async () => {
      const [request] = under.served;
      await expectUnavailable(under.provider.quote(request!, AbortSignal.abort()), 100);
      if (under.upstream === undefined) return;
      under.upstream.suffer('times out');
      await expectUnavailable(under.provider.quote(request!, AbortSignal.timeout(50)), 50 + GRACE_MS);
    });

    it.each(FAULTS)(
      'reports PROVIDER_UNAVAILABLE within the deadline when the upstream %s, and recovers',
      async (fault) => {
        if (under.upstream === undefined) return;
        const [request] = under.served;
        under.upstream.suffer(fault);
        await expectUnavailable(
          under.provider.quote(request!, AbortSignal.timeout(DEADLINE_MS)),
          DEADLINE_MS + GRACE_MS,
        );
        under.upstream.suffer(undefined);
        expect(await under.provider.quote(request!, AbortSignal.timeout(10_000))).toBeDefined();
      },
    );
  });
}

const asIs = (reason: unknown): unknown => reason;

async function expectUnavailable(answer: Promise<unknown>, withinMs: number): Promise<void> {
  const started = Date.now();
  const error = await answer.then(
    (value: unknown) => ({ resolved: value }),
    (reason: unknown) => reason,
  );
  expect(isServiceError(error) ? error.code : error).toBe('PROVIDER_UNAVAILABLE');
  expect(Date.now() - started).toBeLessThan(withinMs);
}
