import { isNativeToken } from '../../src/chains/addresses';
import { isServiceError } from '../../src/errors/service-error';
import { createQuoteRequester, type ProviderResult } from '../../src/venues/request-provider-quote';
import type {
  BuildParameters,
  ProviderExecution,
  ProviderQuote,
  QuoteProvider,
  QuoteRequest,
} from '../../src/venues/quote-provider';
import { offering, silent } from '../swaps/swap-world';
import { type FaultyUpstream, FAULTS, HANGING_FAULTS } from './faulty-upstream';

/** A provider, requests that it must treat in a certain way, and what it takes to make it fail. */
export interface QuoteProviderUnderTest {
  readonly provider: QuoteProvider;
  /** The third party that the provider calls; absent when it calls none. */
  readonly upstream: FaultyUpstream | undefined;
  /** Requests with a route, at least one for each side that the provider supports. With addresses. The first meets the faults. */
  readonly served: readonly QuoteRequest[];
  /** Supported, but there is no route. */
  readonly unroutable: readonly QuoteRequest[];
  readonly unsupported: readonly QuoteRequest[];
  /** Exact amounts in that are more than the venue can take. */
  readonly tooMuch?: readonly QuoteRequest[];
  /** Exact amounts in that are less than the venue takes. */
  readonly tooLittle?: readonly QuoteRequest[];
  /**
   * What arrives while nothing moves: by default to the base unit what was quoted, or, where the price has a part in
   * time (relayer fees), at least the minimum.
   */
  readonly precision?: 'exact' | 'atLeastMinimum';
  /** What two executions of one quote must have in common; everything by default, of a deposit its chain and amount. */
  readonly comparable?: (execution: ProviderExecution) => unknown;
  /**
   * Executes a quote of a served request for its addresses. Base units that left the sender on the origin chain and
   * reached the recipient on the destination chain; it may take until they did.
   */
  execute(parameters: BuildParameters): Promise<{ readonly spent: bigint; readonly received: bigint }>;
  /** Ends what the set-up started beside the upstream. */
  tearDown?(): Promise<void> | void;
}

/** Timeout of healthy responses. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Budget where the upstream never comes to an end: shorter than what a provider may wait for on its own. */
const HANGING_BUDGET_MS = 700;
const BUDGET_MS = 5000;
/** What a loaded machine may take on top. */
const GRACE_MS = 2000;
const EXECUTION_TIMEOUT_MS = 120_000;
/** Part of the 50 MB body that may be read or buffered on both sides. */
const MAX_BYTES_TAKEN = 25_000_000;

/**
 * What every adapter behind the port QuoteProvider promises.
 *
 * Whatever is wrong with the upstream, the provider could not be asked: PROVIDER_UNAVAILABLE. That holds for 429 too:
 * nothing is asked again within a quote, however short `Retry-After` is, and the breaker leaves the provider alone when
 * it happens repeatedly.
 */
export function describeQuoteProvider(name: string, setUp: () => Promise<QuoteProviderUnderTest>): void {
  describe(`${name}, as a quote provider`, () => {
    let under: QuoteProviderUnderTest;
    beforeAll(async () => {
      under = await setUp();
    });
    afterAll(async () => {
      under.upstream?.close();
      await under.tearDown?.();
    });
    afterEach(() => under.upstream?.injectFault(undefined));

    const quoteOf = async (request: QuoteRequest): Promise<ProviderQuote> => {
      const quote = await under.provider.quote(request, AbortSignal.timeout(RESPONSE_TIMEOUT_MS));
      if (quote === undefined) throw new Error(`no route for ${request.tokenIn.symbol}/${request.tokenOut.symbol}`);
      return quote;
    };

    it('reports its supported routes without a request', () => {
      const before = under.upstream?.requests();
      for (const request of [...under.served, ...under.unroutable]) {
        expect(under.provider.capabilities.supports(request)).toBe(true);
      }
      for (const request of under.unsupported) expect(under.provider.capabilities.supports(request)).toBe(false);
      expect(under.upstream?.requests()).toBe(before);
    });

    it('has no quote where there is no route', async () => {
      for (const request of [...under.unroutable, ...under.unsupported]) {
        expect(await under.provider.quote(request, AbortSignal.timeout(RESPONSE_TIMEOUT_MS))).toBeUndefined();
      }
    });

    it('reports the bound when an amount is too high or too low', async () => {
      for (const [bound, requests] of [
        ['max', under.tooMuch ?? []],
        ['min', under.tooLittle ?? []],
      ] as const) {
        for (const request of requests) {
          const error: unknown = await under.provider
            .quote(request, AbortSignal.timeout(RESPONSE_TIMEOUT_MS))
            .catch(asIs);
          const code = bound === 'max' ? 'AMOUNT_IN_TOO_HIGH' : 'AMOUNT_IN_TOO_LOW';
          expect(isServiceError(error) ? error.code : error).toBe(code);
          expect((error as Error).message).toMatch(new RegExp(`${bound} ~[0-9.]+ ${request.tokenIn.symbol}`));
        }
      }
    });

    it('keeps the exact amount on the requested side', async () => {
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
        if (request.origin.kind === 'evm') expect(quote.gasLimit).toBeGreaterThan(21_000n);
        expect(Number.isInteger(quote.priceImpactBps) && quote.priceImpactBps >= 0).toBe(true);
        expect(quote.route.length).toBeGreaterThan(0);
      }
    });

    it('makes offers that add up, with and without addresses', async () => {
      const requestQuote = createQuoteRequester({ budgetMs: RESPONSE_TIMEOUT_MS, log: silent });
      const [first] = under.served;
      const priceOnly = { ...first!, originAddress: undefined, destinationAddress: undefined };
      for (const request of [...under.served, priceOnly]) {
        const result = await requestQuote(under.provider, request);
        expect(result.outcome === 'failed' ? result.error.message : result.outcome).toBe('quote');
      }
    });

    it(
      'delivers what it quoted while nothing moves',
      async () => {
        for (const request of under.served) {
          const quote = await quoteOf(request);
          const { spent, received } = await under.execute(parametersOf(request, quote));
          const extra = isNativeToken(request.tokenIn.address) ? (quote.nativeFee ?? 0n) : 0n;
          expect(spent).toBe(quote.amountIn + extra);
          if (under.precision === 'atLeastMinimum') expect(received).toBeGreaterThanOrEqual(quote.minAmountOut);
          else expect(received).toBe(quote.expectedAmountOut);
        }
      },
      EXECUTION_TIMEOUT_MS,
    );

    it('builds the same from a quote that was stored as JSON', async () => {
      const { comparable = whatMatters } = under;
      for (const request of under.served) {
        const quote = await quoteOf(request);
        const parameters = parametersOf(request, quote);
        const stored = { ...quote, execution: JSON.parse(JSON.stringify(quote.execution)) as unknown };
        const build = (each: ProviderQuote) =>
          under.provider.build({ ...parameters, quote: each }, AbortSignal.timeout(RESPONSE_TIMEOUT_MS));
        const execution = await build(quote);
        expect(comparable(await build(stored))).toEqual(comparable(execution));
        expect(execution.chainId).toBe(request.origin.chainId);
        if (execution.kind === 'deposit') expect(execution.amount).toBe(quote.maxAmountIn);
        else if (execution.kind !== 'payment') expect(execution.from).toBe(request.originAddress);
      }
    });

    it('gives up as soon as the caller does', async () => {
      const [request] = under.served;
      await expectUnavailable(under.provider.quote(request!, AbortSignal.abort()), GRACE_MS);
      if (under.upstream === undefined) return;
      under.upstream.injectFault('times out');
      await expectUnavailable(under.provider.quote(request!, AbortSignal.timeout(50)), 50 + GRACE_MS);
    });

    it.each(FAULTS)(
      'reports PROVIDER_UNAVAILABLE within the budget when the upstream %s, affects no other provider, and recovers',
      async (fault) => {
        const { provider, upstream } = under;
        const [request] = under.served;
        if (upstream === undefined || request === undefined) return;
        upstream.injectFault(fault);
        const budgetMs = HANGING_FAULTS.has(fault) ? HANGING_BUDGET_MS : BUDGET_MS;
        const alone = provider.quote(request, AbortSignal.timeout(budgetMs));
        await expectUnavailable(alone, budgetMs + GRACE_MS);
        expect(upstream.faultyResponses()).toBeGreaterThan(0);
        expect(upstream.bytesTaken()).toBeLessThan(MAX_BYTES_TAKEN * upstream.faultyResponses());
        await expectNeighbourUnharmed({ provider, request, budgetMs });
        upstream.injectFault(undefined);
        expect(await provider.quote(request, AbortSignal.timeout(RESPONSE_TIMEOUT_MS))).toBeDefined();
      },
    );
  });
}

const asIs = (reason: unknown): unknown => reason;

const parametersOf = (request: QuoteRequest, quote: ProviderQuote): BuildParameters => ({
  request,
  quote,
  sender: request.originAddress!,
  recipient: request.destinationAddress!,
  deadline: Math.floor(Date.now() / 1000) + 3600,
});

/** Each deposit has an address of its own. */
const whatMatters = (execution: ProviderExecution): unknown =>
  execution.kind === 'deposit' ? { chainId: execution.chainId, amount: execution.amount } : execution;

async function expectUnavailable(result: Promise<unknown>, withinMs: number): Promise<void> {
  const started = Date.now();
  const error = await result.then((value: unknown) => ({ resolved: value }), asIs);
  expect(isServiceError(error) ? error.code : error).toBe('PROVIDER_UNAVAILABLE');
  expect(Date.now() - started).toBeLessThan(withinMs);
}

interface FailingProvider {
  readonly provider: QuoteProvider;
  readonly request: QuoteRequest;
  readonly budgetMs: number;
}

/** Requested together, a failing provider neither prevents nor delays the offer of a healthy one. */
async function expectNeighbourUnharmed({ provider, request, budgetMs }: FailingProvider): Promise<void> {
  const requestQuote = createQuoteRequester({ budgetMs, log: silent });
  const order: string[] = [];
  const noted = (result: ProviderResult): ProviderResult => {
    order.push(result.provider);
    return result;
  };
  const neighbour = offering('neighbour', request.amount);
  const [failing, healthy] = await Promise.all(
    [provider, neighbour].map((each) => requestQuote(each, request).then(noted)),
  );
  expect(failing).toMatchObject({ outcome: 'failed', error: { code: 'PROVIDER_UNAVAILABLE' } });
  expect(healthy).toMatchObject({ provider: 'neighbour', outcome: 'quote' });
  expect(order[0]).toBe('neighbour');
}
