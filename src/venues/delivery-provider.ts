import type { DeliverySource } from './delivery-source';
import type { QuoteProvider } from './quote-provider';

/** A venue whose deliveries are polled: a bridge, a ramp, or one whose swaps on one chain only the provider can report on. */
export interface DeliveryProvider extends QuoteProvider {
  /** Party that sends the last step's transaction on the destination chain; the provider by default. */
  readonly completedBy?: 'PROVIDER' | 'SERVICE' | undefined;
  readonly deliveries: DeliverySource;
}

export const hasDeliveries = (provider: QuoteProvider): provider is DeliveryProvider => 'deliveries' in provider;
