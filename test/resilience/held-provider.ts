import type { QuoteProvider, QuoteRequest } from '../../src/quotes/quote-provider';
import { fakeProvider, offerFor } from '../swaps/swap-world';

/** A provider that answers when it is told to. */
export interface HeldProvider {
  readonly provider: QuoteProvider;
  /** Everything that it was asked. */
  readonly asked: readonly { readonly request: QuoteRequest; readonly signal: AbortSignal }[];
  /** Questions that it has not answered. */
  waiting(): number;
  /** Answers them. */
  release(): void;
}

/** With `priced` cents for whatever is asked: more is better. */
export function heldProvider(id: string, priced: bigint): HeldProvider {
  const asked: { request: QuoteRequest; signal: AbortSignal }[] = [];
  const answers = new Set<() => void>();
  const provider = fakeProvider(id, (request, signal) => {
    asked.push({ request, signal });
    return new Promise((resolve, reject) => {
      const answer = (): void => {
        answers.delete(answer);
        resolve(offerFor(request, { provider: id, priced }));
      };
      answers.add(answer);
      signal.addEventListener('abort', () => {
        answers.delete(answer);
        reject(signal.reason as Error);
      });
    });
  });
  return { provider, asked, waiting: () => answers.size, release: () => answers.forEach((answer) => answer()) };
}
