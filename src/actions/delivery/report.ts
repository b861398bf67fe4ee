import type { DeliverySource, DeliveryState, Shipment } from '../../venues/delivery-source';
import type { Transfer } from './transfer-action';

/** A provider's answer about a transfer. */
export interface Report {
  readonly transfer: Transfer;
  readonly shipment: Shipment;
  readonly source: DeliverySource;
  readonly state: DeliveryState;
  readonly signal: AbortSignal;
}
