import type { DeliverySource } from '../../venues/delivery-source';
import { hasDeliveries } from '../../venues/delivery-provider';
import type { QuoteProvider } from '../../venues/quote-provider';

/** Ids of the providers whose transfers have to be cancelled before their actions expire. */
export const cancellableProviders = (sources: ReadonlyMap<string, DeliverySource>): readonly string[] =>
  [...sources].filter(([, source]) => 'cancel' in source).map(([id]) => id);

/** The delivery sources of the providers that have one, by provider id. */
export function deliverySources(providers: readonly QuoteProvider[]): ReadonlyMap<string, DeliverySource> {
  return new Map(providers.filter(hasDeliveries).map(({ id, deliveries }) => [id, deliveries]));
}
