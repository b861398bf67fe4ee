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
import { holdTimeouts } from '../setup/held-timeouts';
import { offering, silent } from '../swaps/swap-world';
import { type Fault, type FaultyUpstream, FAULTS, signalUnder } from './faulty-upstream';

/** A provider, requests with a defined result, and the means to make it fail. */
export interface QuoteProviderUnderTest {
  readonly provider: QuoteProvider;
  /** The third party that the provider calls; absent when it calls none. */
  readonly upstream: FaultyUpstream | undefined;
  /** Requests with a route and addresses, at least one for each supported side. The faults are tested with the first. */
  readonly served: readonly QuoteRequest[];
  /** Supported requests without a route. */
  readonly unroutable: readonly QuoteRequest[];
  readonly unsupported: readonly QuoteRequest[];
  /** Exact amounts above the maximum of the venue, on either side. */
  readonly tooMuch?: readonly QuoteRequest[];
  /** Exact amounts in below the minimum of the venue. */
  readonly tooLittle?: readonly QuoteRequest[];
  /**
   * The received amount at unchanged prices: exactly the quoted amount (default), or at least the minimum where fees
   * depend on the time (relayer fees).
   */
  readonly precision?: 'exact' | 'atLeastMinimum';
  /** The part of an execution that is equal for two builds of one quote. Default: everything, or chain and amount of a deposit. */
  readonly comparable?: (execution: ProviderExecution) => unknown;
  /**
   * Executes a quote of a served request for its addresses. Resolves after the arrival, to the base units that left the
   * sender on the origin chain and that reached the recipient on the destination chain.
   */
  execute(parameters: BuildParameters): Promise<{ readonly spent: bigint; readonly received: bigint }>;
  /** Stops everything that the set-up started, except the upstream. */
  tearDown?(): Promise<void> | void;
}

/** Timeout of healthy responses. */
const RESPONSE_TIMEOUT_MS = 60_000;
const EXECUTION_TIMEOUT_MS = 120_000;
/** Part of the 50 MB body that may be read or buffered on both sides. */
const MAX_BYTES_TAKEN = 25_000_000;

/**
 * The contract of every adapter behind the port QuoteProvider.
 *
 * Any fault of the upstream is PROVIDER_UNAVAILABLE, including HTTP 429: a provider does not retry within a quote, for
 * any `Retry-After`, and repeated failures open the breaker.
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
        const { priceImpactBps = 0 } = quote;
        expect(Number.isInteger(priceImpactBps) && priceImpactBps >= 0).toBe(true);
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
      'delivers the quoted amount at unchanged prices',
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

    it('builds the same execution from a quote that was stored as JSON', async () => {
      const { comparable = comparablePart } = under;
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

    it('fails as soon as the caller aborts', async () => {
      const [request] = under.served;
      await expectUnavailable(under.provider.quote(request!, AbortSignal.abort()));
      if (under.upstream === undefined) return;
      under.upstream.injectFault('times out');
      await expectUnavailable(under.provider.quote(request!, signalUnder('times out', under.upstream)));
    });

    it.each(FAULTS)(
      'reports PROVIDER_UNAVAILABLE, at the latest when the caller aborts, when the upstream %s, affects no other provider, and recovers',
      async (fault) => {
        const { provider, upstream } = under;
        const [request] = under.served;
        if (upstream === undefined || request === undefined) return;
        upstream.injectFault(fault);
        await expectUnavailable(provider.quote(request, signalUnder(fault, upstream)));
        expect(upstream.faultyResponses()).toBeGreaterThan(0);
        expect(upstream.bytesTaken()).toBeLessThan(MAX_BYTES_TAKEN * upstream.faultyResponses());
        await expectNeighbourUnaffected({ provider, request, upstream, fault });
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

/** Every deposit has a different address. */
const comparablePart = (execution: ProviderExecution): unknown =>
  execution.kind === 'deposit' ? { chainId: execution.chainId, amount: execution.amount } : execution;

async function expectUnavailable(result: Promise<unknown>): Promise<void> {
  const error = await result.then((value: unknown) => ({ resolved: value }), asIs);
  expect(isServiceError(error) ? error.code : error).toBe('PROVIDER_UNAVAILABLE');
}

interface FailingProvider {
  readonly provider: QuoteProvider;
  readonly request: QuoteRequest;
  readonly upstream: FaultyUpstream;
  readonly fault: Fault;
}

/** A failing provider neither prevents nor delays the offer of a healthy one that is requested at the same time. */
async function expectNeighbourUnaffected({ provider, request, upstream, fault }: FailingProvider): Promise<void> {
  const timeouts = holdTimeouts();
  signalUnder(fault, upstream).addEventListener('abort', () => timeouts.end());
  const requestQuote = createQuoteRequester({ budgetMs: RESPONSE_TIMEOUT_MS, log: silent });
  const order: string[] = [];
  const recordOrder = (result: ProviderResult): ProviderResult => {
    order.push(result.provider);
    return result;
  };
  const neighbour = offering('neighbour', request.amount);
  const [failing, healthy] = await Promise.all(
    [provider, neighbour].map((each) => requestQuote(each, request).then(recordOrder)),
  ).finally(() => timeouts.release());
  expect(failing).toMatchObject({ outcome: 'failed', error: { code: 'PROVIDER_UNAVAILABLE' } });
  expect(healthy).toMatchObject({ provider: 'neighbour', outcome: 'quote' });
  expect(order[0]).toBe('neighbour');
}
