import type { ErrorCode } from '../errors/catalog';
import { serviceError, type ServiceError } from '../errors/service-error';
import { widestBound } from '../venues/amount-bounds';
import type { ProviderResult } from '../venues/request-provider-quote';
import type { RampId } from '../ramps/ramp-provider';
import { isFiatRoute } from '../venues/ramp/ramp-route';
import type { ProviderQuote } from '../venues/quote-provider';
import { noRouteError } from './request/no-route-error';
import type { SwapIntent } from './request/swap-intent';

/** The codes of a provider that cannot serve the amount, though it serves the route. */
const AMOUNT_CODES: ReadonlySet<ErrorCode> = new Set(['AMOUNT_IN_TOO_LOW', 'AMOUNT_IN_TOO_HIGH']);

/** The codes of a provider that is unavailable. */
const OUTAGE_CODES: ReadonlySet<ErrorCode> = new Set(['PROVIDER_UNAVAILABLE', 'BRIDGE_API_ERROR']);

/** The fields of a request that decide which offer wins and which error explains that there is none. */
export interface OfferCriteria extends Pick<
  SwapIntent,
  'origin' | 'destination' | 'tokenIn' | 'tokenOut' | 'side' | 'preferredProvider'
> {
  /** The ramp of a fiat route. */
  readonly ramp?: RampId | undefined;
}

/**
 * Returns the best offer: the highest output for an exact input, the lowest input for an exact output.
 * On a tie, the one with less gas.
 *
 * @throws PREFERRED_PROVIDER_QUOTE_UNAVAILABLE when the preferred provider offers nothing, else NO_ROUTE_FOUND,
 * AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH, QUOTE_GENERATION_FAILED. When all providers are unavailable: BRIDGE_API_ERROR
 * between chains, SECONDARY_RAMP_API_ERROR for the secondary ramp.
 */
export function chooseOffer(criteria: OfferCriteria, results: readonly ProviderResult[]): ProviderQuote {
  const offers = results.flatMap((result) => (result.outcome === 'quote' ? [result.quote] : []));
  const [first, ...others] = offers;
  if (first === undefined) throw noOfferReason(criteria, results);
  return others.reduce((best, offer) => (isBetter(criteria.side, offer, best) ? offer : best), first);
}

function isBetter(side: 'in' | 'out', offer: ProviderQuote, best: ProviderQuote): boolean {
  const gain = side === 'in' ? offer.expectedAmountOut - best.expectedAmountOut : best.amountIn - offer.amountIn;
  return gain === 0n ? offer.gasLimit < best.gasLimit : gain > 0n;
}

/** Distinguishes a route that no provider serves from providers that are all unavailable. */
function noOfferReason(criteria: OfferCriteria, results: readonly ProviderResult[]): ServiceError {
  const failures = results.flatMap((result) => (result.outcome === 'failed' ? [result] : []));
  const aboutAmount = widestBound(failures.flatMap(({ error }) => (AMOUNT_CODES.has(error.code) ? [error] : [])));
  if (aboutAmount !== undefined) return aboutAmount;
  if (criteria.preferredProvider !== undefined) {
    const provider = results[0]?.provider ?? criteria.preferredProvider;
    const reason = failures[0]?.error.message ?? 'it has no route for this pair and amount';
    return serviceError('PREFERRED_PROVIDER_QUOTE_UNAVAILABLE', { provider, reason });
  }
  return noOfferError(criteria, { failures, allUnavailable: results.every(isOutage) });
}

interface OfferFailures {
  readonly failures: readonly Extract<ProviderResult, { readonly outcome: 'failed' }>[];
  readonly allUnavailable: boolean;
}

function noOfferError(criteria: OfferCriteria, { failures, allUnavailable }: OfferFailures): ServiceError {
  const [first] = failures;
  if (first === undefined) return noRouteError(criteria);
  // A fiat route has a single ramp: its error is passed on unchanged.
  if (isFiatRoute(criteria) && !allUnavailable) return first.error;
  if (criteria.ramp === 'secondary') return serviceError('SECONDARY_RAMP_API_ERROR', {}, { cause: first.error });
  const providers = failures.map(({ provider, error }) => ({ provider, code: error.code, message: error.message }));
  if (isBridged(criteria) && allUnavailable) return serviceError('BRIDGE_API_ERROR', {}, { details: { providers } });
  const reason = failures.map(({ error }) => error.message).join('; ');
  return serviceError('QUOTE_GENERATION_FAILED', { reason }, { details: { providers } });
}

const isOutage = (result: ProviderResult): boolean =>
  result.outcome === 'failed' && OUTAGE_CODES.has(result.error.code);

const isBridged = (criteria: OfferCriteria): boolean =>
  criteria.origin.chainId !== criteria.destination.chainId && !isFiatRoute(criteria);
