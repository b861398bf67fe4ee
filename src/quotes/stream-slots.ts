import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';

export interface StreamSlotOptions {
  /** Streams that may be open at once in this process, of one customer and of all. */
  readonly perCustomer?: number;
  readonly total?: number;
}

/** Bounds the streams that are open. */
export interface StreamSlots {
  /** Returns what gives the slot back; a second time that does nothing. @throws SERVICE_UNAVAILABLE when none is left */
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
      if (own.size >= perCustomer) throw full(`${perCustomer} streams of quotes are open for this customer already`);
      if (taken >= total) throw full('too many streams of quotes are open');
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
