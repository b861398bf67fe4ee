import type { BridgeProvider, DeliverySource } from '../../quotes/delivery-source';
import type { QuoteProvider } from '../../quotes/quote-provider';

/** Who follows deliveries among the providers, by their ids. */
export function deliverySources(providers: readonly QuoteProvider[]): ReadonlyMap<string, DeliverySource> {
  return new Map(
    providers.flatMap((provider: QuoteProvider & Partial<BridgeProvider>): readonly [string, DeliverySource][] =>
      provider.deliveries === undefined ? [] : [[provider.id, provider.deliveries]],
    ),
  );
}
