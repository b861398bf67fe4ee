import { CATALOG, type ErrorCode } from '../errors/catalog';
import { serviceError, type ServiceError } from '../errors/service-error';
import { widestBound } from '../venues/amount-bounds';
import type { ProviderResult } from '../venues/request-provider-quote';
import type { RampId } from '../ramps/ramp-provider';
import { isFiatRoute } from '../venues/ramp/ramp-route';
import type { ProviderQuote } from '../venues/quote-provider';
import { closestPriceError } from './refused-price';
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
  /** The ramp of a fiat route, with its name in the request. */
  readonly ramp?: RampId | undefined;
  readonly rampName?: string | undefined;
}

/**
 * Returns the best offer: the highest output for an exact input, the lowest input for an exact output. Native fees count:
 * `nativeFeeOf` returns the value of an offer's fee in base units of `tokenOut`. On a tie, the one with less gas.
 *
 * @throws PREFERRED_PROVIDER_QUOTE_UNAVAILABLE when the preferred provider offers nothing, else NO_ROUTE_FOUND,
 * AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH, QUOTE_GENERATION_FAILED. When all providers are unavailable: BRIDGE_API_ERROR
 * between chains, SECONDARY_RAMP_API_ERROR for the secondary ramp.
 */
export function chooseOffer(
  criteria: OfferCriteria,
  results: readonly ProviderResult[],
  nativeFeeOf: (offer: ProviderQuote) => bigint = () => 0n,
): ProviderQuote {
  const offers = results.flatMap((result) => (result.outcome === 'quote' ? [result.quote] : []));
  const [first, ...others] = offers;
  if (first === undefined) throw explainNoOffer(criteria, results);
  const netOf = (offer: ProviderQuote): bigint => netAmount(criteria.side, offer, nativeFeeOf(offer));
  return others.reduce((best, offer) => (isBetter(netOf, offer, best) ? offer : best), first);
}

function isBetter(netOf: (offer: ProviderQuote) => bigint, offer: ProviderQuote, best: ProviderQuote): boolean {
  const gain = netOf(offer) - netOf(best);
  return gain === 0n ? offer.gasLimit < best.gasLimit : gain > 0n;
}

/** Larger for a better offer: the output less the fee or, for an exact output, the input with the fee, negative. */
function netAmount(side: 'in' | 'out', { amountIn, expectedAmountOut }: ProviderQuote, fee: bigint): bigint {
  return side === 'in' ? expectedAmountOut - fee : 0n - amountIn - (fee * amountIn) / expectedAmountOut;
}

/**
 * Returns the error that explains why there is no offer: a refused amount or price, a route that no provider serves, or
 * unavailable providers.
 */
function explainNoOffer(criteria: OfferCriteria, results: readonly ProviderResult[]): ServiceError {
  const failures = results.flatMap((result) => (result.outcome === 'failed' ? [result] : []));
  const errors = failures.map(({ error }) => error);
  const refused = widestBound(errors.filter(({ code }) => AMOUNT_CODES.has(code))) ?? closestPriceError(errors);
  if (refused !== undefined) return refused;
  if (criteria.preferredProvider !== undefined) {
    const provider = results[0]?.provider ?? criteria.preferredProvider;
    const [first] = errors;
    const reason = first === undefined ? 'it has no route for this pair and amount' : reasonOf(first);
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
  const providers = failures.map(({ provider, error: { code, message } }) => ({
    provider: criteria.rampName ?? provider,
    code,
    message,
  }));
  if (isBridged(criteria) && allUnavailable) return serviceError('BRIDGE_API_ERROR', {}, { details: { providers } });
  const reason = [...new Set(failures.map(({ error }) => reasonOf(error)))].join('; ');
  const retryable = failures.some(({ error }) => error.retryable);
  return serviceError('QUOTE_GENERATION_FAILED', { reason }, { details: { providers, retryable } });
}

const [FAILED_PREFIX = ''] = CATALOG.QUOTE_GENERATION_FAILED.message.split('{reason}');

/** The message of a failure, without the words that the error of the whole quote begins with. */
const reasonOf = ({ message }: ServiceError): string =>
  message.startsWith(FAILED_PREFIX) ? message.slice(FAILED_PREFIX.length) : message;

const isOutage = (result: ProviderResult): boolean =>
  result.outcome === 'failed' && OUTAGE_CODES.has(result.error.code);

const isBridged = (criteria: OfferCriteria): boolean =>
  criteria.origin.chainId !== criteria.destination.chainId && !isFiatRoute(criteria);
