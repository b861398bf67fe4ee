import type { QuoteProvider, QuoteRequest } from '../../src/venues/quote-provider';
import { fakeProvider, offerFor } from '../swaps/swap-world';

/** A provider whose responses a test releases. */
export interface HeldProvider {
  readonly provider: QuoteProvider;
  /** Every request, in order. */
  readonly requests: readonly { readonly request: QuoteRequest; readonly signal: AbortSignal }[];
  /** Number of requests without a response. */
  waiting(): number;
  /** Sends the outstanding responses. */
  release(): void;
}

/** Offers `priced` cents for every request: more is better. */
export function heldProvider(id: string, priced: bigint): HeldProvider {
  const requests: { request: QuoteRequest; signal: AbortSignal }[] = [];
  const pending = new Set<() => void>();
  const provider = fakeProvider(id, (request, signal) => {
    requests.push({ request, signal });
    return new Promise((resolve, reject) => {
      const respond = (): void => {
        pending.delete(respond);
        resolve(offerFor(request, { provider: id, priced }));
      };
      pending.add(respond);
      signal.addEventListener('abort', () => {
        pending.delete(respond);
        reject(signal.reason as Error);
      });
    });
  });
  return { provider, requests, waiting: () => pending.size, release: () => pending.forEach((respond) => respond()) };
}
