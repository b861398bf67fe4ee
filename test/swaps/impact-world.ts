import { CUSTOMER, devnet, fakeProvider, L2_USDC, offerFor, PRICED, quoteDeps, rejection, USDC } from './swap-world';
import type { RawFields } from '../../src/errors/field-reader';
import { amountInTooHigh } from '../../src/venues/amount-bounds';
import type { QuoteProvider } from '../../src/venues/quote-provider';
import { type QuoteDeps, quoteSwap } from '../../src/quotes/quote-swap';
import { createStreamSlots, type StreamedQuote, streamQuotes } from '../../src/quotes/stream-quotes';
import { swapQuotes } from '../../src/quotes/swap-quotes';

export const DOLLAR = 10n ** 6n;
/** Another dollar token with six decimals. */
export const OTHER = { ...L2_USDC, chainId: devnet.chainId, symbol: 'OUSD' };

/** A constant-product pool of two dollar tokens, whose quotes report no impact. */
export function poolOf(id: string, reserve: bigint, changes: { capacity?: bigint; skew?: bigint } = {}): QuoteProvider {
  const { capacity = 2n ** 200n, skew = 100n } = changes;
  const outputFor = (amountIn: bigint): bigint => (((amountIn * reserve) / (reserve + amountIn)) * skew) / 100n;
  const inputFor = (amountOut: bigint): bigint => (reserve * amountOut) / (reserve - amountOut) + 1n;
  return fakeProvider(id, (request) => {
    const { side, amount } = request;
    const isFull = side === 'in' ? amount > capacity : amount >= reserve;
    if (isFull) return Promise.reject(amountInTooHigh(capacity, request.tokenIn));
    const priced = side === 'in' ? outputFor(amount) : inputFor(amount);
    return Promise.resolve(offerFor(request, { provider: id, priced, priceImpactBps: 0 }));
  });
}

export const depsWith = (providers: readonly QuoteProvider[], maxPriceImpactBps = 1500) =>
  quoteDeps({
    providers,
    maxPriceImpactBps,
    tokens: { find: (_, address) => Promise.resolve([USDC, OTHER].find((token) => token.address === address)) },
  });

export const quote = (providers: readonly QuoteProvider[], fields: RawFields, maxPriceImpactBps?: number) =>
  quoteSwap(depsWith(providers, maxPriceImpactBps), {
    customerId: CUSTOMER,
    fields: { ...PRICED, tokenOut: OTHER.address, ...fields },
  });

/** An error that refuses an amount. */
export interface Bound {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string | number>>;
}
export const refusal = async (...given: Parameters<typeof quote>): Promise<Bound> =>
  (await rejection(quote(...given))) as Bound;

/** The provider, with the amounts that it is requested for. */
export function recorded(provider: QuoteProvider) {
  const amounts: bigint[] = [];
  const { id, capabilities } = provider;
  const recording = fakeProvider(
    id,
    (request, signal) => {
      amounts.push(request.amount);
      return provider.quote(request, signal);
    },
    { capabilities },
  );
  return { provider: recording, amounts };
}

/** A ramp or bridge that keeps two dollars and does not list them as a fee. */
export const withFixedCost = (id: string): QuoteProvider =>
  fakeProvider(
    id,
    (request) => {
      const { tokenIn, tokenOut, amount } = request;
      const fair = (amount * 10n ** BigInt(tokenOut.decimals)) / 10n ** BigInt(tokenIn.decimals);
      const priced = fair - 2n * 10n ** BigInt(tokenOut.decimals);
      return Promise.resolve(
        priced > 0n ? offerFor(request, { provider: id, priced, priceImpactBps: undefined }) : undefined,
      );
    },
    { capabilities: { supports: () => true } },
  );

export const listed = (deps: QuoteDeps, fields: RawFields) =>
  swapQuotes({ ...deps, savePrices: () => Promise.resolve() }, { customerId: CUSTOMER, fields });

/** The first results of a stream. */
export async function streamed(deps: QuoteDeps, fields: RawFields, count: number): Promise<readonly StreamedQuote[]> {
  const streaming = {
    ...deps,
    savePrices: () => Promise.resolve(),
    slots: createStreamSlots(),
    findLimit: () => Promise.resolve(50),
  };
  const controller = new AbortController();
  const { signal } = controller;
  const countRoundRequest = () => Promise.resolve();
  const stream = await streamQuotes(streaming, { customerId: CUSTOMER, fields, countRoundRequest, signal });
  const events: StreamedQuote[] = [];
  while (events.length < count) events.push((await stream.next()).value as StreamedQuote);
  controller.abort();
  await stream.return();
  return events;
}

export const pool = poolOf('pool', 1_000_000n * DOLLAR);
export const deep = poolOf('deep', 90_000_000n * DOLLAR);
/** Half of what the pool holds: it loses a third of its value. */
export const LARGE = { amountIn: (500_000n * DOLLAR).toString() };
