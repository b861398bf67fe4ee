import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import type { Execution, QuoteProvider, QuoteRequest } from '../../venues/quote-provider';
import type { ExecutableParameters } from './executable';

/** Codes by which a provider tells something of the quote that the caller has to know as it is. */
const TOLD_AS_THEY_ARE = /^(?:BRIDGE_API_ERROR|BYTECODE_GENERATION_FAILED|QUOTE_EXPIRED|AMOUNT_\w+)$/;

type Parameters = Pick<
  ExecutableParameters,
  'request' | 'offer' | 'sender' | 'recipient' | 'deadline' | 'signal' | 'actionId' | 'quoteId' | 'customerId'
>;

/**
 * What the provider of an offer builds for it, unchecked.
 *
 * @throws PROVIDER_NOT_FOUND, BRIDGE_API_ERROR, QUOTE_EXPIRED, the codes of amounts, BYTECODE_GENERATION_FAILED; of routes
 * from and to fiat the codes of the ramps and of Pix
 */
export async function buildExecution(
  { providers }: { readonly providers: readonly QuoteProvider[] },
  { request, offer, sender, recipient, deadline, signal, actionId: id, quoteId, customerId }: Parameters,
): Promise<Execution> {
  const provider = providers.find(({ id }) => id === offer.provider);
  if (provider === undefined) {
    const route = `${request.origin.slug} → ${request.destination.slug} as ${offer.provider} did: it is not registered`;
    throw serviceError('PROVIDER_NOT_FOUND', { route });
  }
  const seconds = Math.floor(deadline.getTime() / 1000);
  try {
    const action = { id, quoteId, customerId };
    return await provider.build({ action, request, quote: offer, sender, recipient, deadline: seconds }, signal);
  } catch (cause) {
    if (!isServiceError(cause) || isTold(request, cause)) throw cause;
    const isBridge = request.fiat === undefined && request.origin.chainId !== request.destination.chainId;
    throw isBridge ? bridgeFailure(offer.provider, cause) : notBuilt(cause);
  }
}

/** A ramp's codes are those of the catalog; only that it could not be reached is no answer to a caller. */
const isTold = ({ fiat }: Pick<QuoteRequest, 'fiat'>, { code }: ServiceError): boolean =>
  fiat === undefined ? TOLD_AS_THEY_ARE.test(code) : code !== 'PROVIDER_UNAVAILABLE';

/** Something that was needed to build it failed. */
export const notBuilt = (cause: ServiceError): ServiceError =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: cause.message }, { cause });

const bridgeFailure = (provider: string, cause: ServiceError): ServiceError =>
  serviceError('BRIDGE_API_ERROR', {}, { details: { provider, reason: cause.message }, cause });
