import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';

export interface StreamSlotOptions {
  /** Maximum open streams in this process, per customer and in total. */
  readonly perCustomer?: number;
  readonly total?: number;
}

/** Bounds the open quote streams. */
export interface StreamSlots {
  /** Takes a slot and returns its release function, which is idempotent. @throws SERVICE_UNAVAILABLE when none is free */
  take(customerId: CustomerId): () => void;
}

const DEFAULTS = { perCustomer: 50, total: 2000 };

export function createStreamSlots(options: StreamSlotOptions = {}): StreamSlots {
  const { perCustomer, total } = { ...DEFAULTS, ...options };
  const byCustomer = new Map<CustomerId, Set<object>>();
  let taken = 0;
  return {
    take(customerId) {
      const own = byCustomer.get(customerId) ?? new Set();
      if (own.size >= perCustomer)
        throw full(`this customer already has ${perCustomer} open quote streams, the maximum`);
      if (taken >= total) throw full('too many quote streams are open');
      const slot = {};
      byCustomer.set(customerId, own.add(slot));
      taken += 1;
      return () => {
        if (!own.delete(slot)) return;
        taken -= 1;
        if (own.size === 0 && byCustomer.get(customerId) === own) byCustomer.delete(customerId);
      };
    },
  };
}

const full = (reason: string) => serviceError('SERVICE_UNAVAILABLE', { reason });
