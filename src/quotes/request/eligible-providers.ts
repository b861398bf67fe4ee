import { serviceError } from '../../errors/service-error';
import type { QuoteProvider, QuoteRequest } from '../../venues/quote-provider';

/**
 * Finds the provider that the caller selects, ignoring case. Ramps are excluded: `rampProvider` selects them.
 *
 * @throws INVALID_PREFERRED_PROVIDER
 */
export function findPreferred(all: readonly QuoteProvider[], name: string | undefined): QuoteProvider | undefined {
  if (name === undefined) return undefined;
  const providers = all.filter(({ selectable = true }) => selectable);
  const found = providers.find(({ id }) => id.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const registered = providers.map(({ id }) => id).join(', ');
  throw serviceError('INVALID_PREFERRED_PROVIDER', { provider: name, registered });
}

export interface Eligibility {
  readonly providers: readonly QuoteProvider[];
  readonly preferred: QuoteProvider | undefined;
}

/** Returns the preferred provider alone, else all providers that serve the route. @throws PREFERRED_PROVIDER_NOT_ELIGIBLE */
export function eligibleProviders(
  { providers, preferred }: Eligibility,
  request: QuoteRequest,
): readonly QuoteProvider[] {
  if (preferred === undefined) return providers.filter(({ capabilities }) => capabilities.supports(request));
  if (preferred.capabilities.supports(request)) return [preferred];
  throw serviceError('PREFERRED_PROVIDER_NOT_ELIGIBLE', { provider: preferred.id });
}
