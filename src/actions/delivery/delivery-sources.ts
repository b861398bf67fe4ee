import type { BridgeProvider, DeliverySource } from '../../venues/delivery-source';
import type { QuoteProvider } from '../../venues/quote-provider';

/** Who has to be asked before an action is given up, by their ids. */
export const askedBeforeExpiry = (sources: ReadonlyMap<string, DeliverySource>): readonly string[] =>
  [...sources].filter(([, source]) => 'callOff' in source).map(([id]) => id);

/** Who follows deliveries among the providers, by their ids. */
export function deliverySources(providers: readonly QuoteProvider[]): ReadonlyMap<string, DeliverySource> {
  return new Map(
    providers.flatMap((provider: QuoteProvider & Partial<BridgeProvider>): readonly [string, DeliverySource][] =>
      provider.deliveries === undefined ? [] : [[provider.id, provider.deliveries]],
    ),
  );
}
