import type { ErrorCode } from '../errors/catalog';
import { serviceError, type ServiceError } from '../errors/service-error';
import { widestBound } from '../venues/amount-bounds';
import type { ProviderAnswer } from '../venues/ask-provider';
import type { RampId } from '../ramps/ramp-provider';
import { isFiatRoute } from '../venues/ramp/ramp-route';
import type { ProviderQuote } from '../venues/quote-provider';
import type { SwapIntent } from './request/swap-intent';

/** The codes by which a provider says that the amount, not the route, is the problem. */
const AMOUNT_CODES: ReadonlySet<ErrorCode> = new Set(['AMOUNT_IN_TOO_LOW', 'AMOUNT_IN_TOO_HIGH']);

/** The codes by which a provider, or whoever asks it, says that it could not be asked. */
const OUTAGE_CODES: ReadonlySet<ErrorCode> = new Set(['PROVIDER_UNAVAILABLE', 'BRIDGE_API_ERROR']);

/** What `chooseOffer` needs to know of the request. */
export interface Wish extends Pick<
  SwapIntent,
  'origin' | 'destination' | 'tokenIn' | 'tokenOut' | 'side' | 'preferredProvider'
> {
  /** The one that is asked, of routes from and to fiat. */
  readonly ramp?: RampId | undefined;
}

/**
 * The best of what providers offer: the most out for an exact amount in, the least in for an exact amount out;
 * between equals the one that takes less gas.
 *
 * @throws PREFERRED_PROVIDER_QUOTE_UNAVAILABLE when the preferred provider offers nothing, else NO_ROUTE_FOUND,
 * AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH, QUOTE_GENERATION_FAILED; when nobody could be asked, between chains
 * BRIDGE_API_ERROR, and of the secondary ramp SECONDARY_RAMP_API_ERROR.
 */
export function chooseOffer(wish: Wish, answers: readonly ProviderAnswer[]): ProviderQuote {
  const offers = answers.flatMap((answer) => (answer.outcome === 'quote' ? [answer.quote] : []));
  const [first, ...others] = offers;
  if (first === undefined) throw noOffer(wish, answers);
  return others.reduce((best, offer) => (isBetter(wish.side, offer, best) ? offer : best), first);
}

function isBetter(side: 'in' | 'out', offer: ProviderQuote, best: ProviderQuote): boolean {
  const gain = side === 'in' ? offer.expectedAmountOut - best.expectedAmountOut : best.amountIn - offer.amountIn;
  return gain === 0n ? offer.gasLimit < best.gasLimit : gain > 0n;
}

/** "Nobody has a route" is a fact about the route; "nobody could be asked" is not. */
function noOffer(wish: Wish, answers: readonly ProviderAnswer[]): ServiceError {
  const failures = answers.flatMap((answer) => (answer.outcome === 'failed' ? [answer] : []));
  const aboutAmount = widestBound(failures.flatMap(({ error }) => (AMOUNT_CODES.has(error.code) ? [error] : [])));
  if (aboutAmount !== undefined) return aboutAmount;
  if (wish.preferredProvider !== undefined) {
    const provider = answers[0]?.provider ?? wish.preferredProvider;
    const reason = failures[0]?.error.message ?? 'it has no route for this pair and amount';
    return serviceError('PREFERRED_PROVIDER_QUOTE_UNAVAILABLE', { provider, reason });
  }
  return nobodysOffer(wish, { failures, nobodyAnswered: answers.every(isOutage) });
}

interface Failures {
  readonly failures: readonly Extract<ProviderAnswer, { readonly outcome: 'failed' }>[];
  readonly nobodyAnswered: boolean;
}

function nobodysOffer(wish: Wish, { failures, nobodyAnswered }: Failures): ServiceError {
  const [first] = failures;
  if (first === undefined) return noRoute(wish);
  // One ramp is asked: what it says is told as it is.
  if (isFiatRoute(wish) && !nobodyAnswered) return first.error;
  if (wish.ramp === 'secondary') return serviceError('SECONDARY_RAMP_API_ERROR', {}, { cause: first.error });
  const providers = failures.map(({ provider, error }) => ({ provider, code: error.code, message: error.message }));
  if (isBridged(wish) && nobodyAnswered) return serviceError('BRIDGE_API_ERROR', {}, { details: { providers } });
  const reason = failures.map(({ error }) => error.message).join('; ');
  return serviceError('QUOTE_GENERATION_FAILED', { reason }, { details: { providers } });
}

const isOutage = (answer: ProviderAnswer): boolean =>
  answer.outcome === 'failed' && OUTAGE_CODES.has(answer.error.code);

const isBridged = (wish: Wish): boolean => wish.origin.chainId !== wish.destination.chainId && !isFiatRoute(wish);

export const noRoute = ({ origin, destination, tokenIn, tokenOut }: Omit<Wish, 'side'>): ServiceError =>
  serviceError('NO_ROUTE_FOUND', {
    tokenIn: tokenIn.shownAddress,
    originChain: origin.slug,
    tokenOut: tokenOut.shownAddress,
    destinationChain: destination.slug,
  });
