import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import type { ProviderExecution, QuoteProvider, QuoteRequest } from '../../venues/quote-provider';
import type { ExecutableParameters } from './executable';

/** Provider error codes that are returned to the caller unchanged. */
const PASSED_THROUGH = /^(?:BRIDGE_API_ERROR|BYTECODE_GENERATION_FAILED|QUOTE_EXPIRED|AMOUNT_\w+)$/;

type Parameters = Pick<
  ExecutableParameters,
  'request' | 'offer' | 'sender' | 'recipient' | 'deadline' | 'signal' | 'actionId' | 'quoteId' | 'customerId'
>;

/**
 * Lets the offer's provider build its execution. The result is not checked against the quote yet.
 *
 * @throws PROVIDER_NOT_FOUND, BRIDGE_API_ERROR, QUOTE_EXPIRED, the AMOUNT_ codes, BYTECODE_GENERATION_FAILED; for routes
 * from and to fiat also the codes of the ramps and of Pix
 */
export async function buildWithProvider(
  { providers }: { readonly providers: readonly QuoteProvider[] },
  { request, offer, sender, recipient, deadline, signal, actionId: id, quoteId, customerId }: Parameters,
): Promise<ProviderExecution> {
  const provider = providers.find(({ id }) => id === offer.provider);
  if (provider === undefined) {
    const route = `${request.origin.slug} → ${request.destination.slug}: ${offer.provider} is not registered`;
    throw serviceError('PROVIDER_NOT_FOUND', { route });
  }
  const seconds = Math.floor(deadline.getTime() / 1000);
  try {
    const action = { id, quoteId, customerId };
    return await provider.build({ action, request, quote: offer, sender, recipient, deadline: seconds }, signal);
  } catch (cause) {
    if (!isServiceError(cause) || isPassedThrough(request, cause)) throw cause;
    const isBridge = request.fiat === undefined && request.origin.chainId !== request.destination.chainId;
    throw isBridge ? bridgeFailure(offer.provider, cause) : providerBuildError(cause);
  }
}

/** Ramps throw codes of the catalog, which are passed through except PROVIDER_UNAVAILABLE. */
const isPassedThrough = ({ fiat }: Pick<QuoteRequest, 'fiat'>, { code }: ServiceError): boolean =>
  fiat === undefined ? PASSED_THROUGH.test(code) : code !== 'PROVIDER_UNAVAILABLE';

/** Wraps the failure of a dependency. */
export const providerBuildError = (cause: ServiceError): ServiceError =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: cause.message }, { cause });

const bridgeFailure = (provider: string, cause: ServiceError): ServiceError =>
  serviceError('BRIDGE_API_ERROR', {}, { details: { provider, reason: cause.message }, cause });
