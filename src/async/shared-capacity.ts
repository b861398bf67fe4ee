import { serviceError } from '../errors/service-error';

export interface SharedCapacityOptions {
  /** Maximum of one customer, and of all customers of this process together. */
  readonly perCustomer: number;
  readonly total: number;
  /** Why nothing is free, for the error: which limit is reached. */
  readonly reasons: { readonly perCustomer: string; readonly total: string };
}

/** A capacity of this process, such as open streams or bytes in memory, that no customer can take alone. */
export interface SharedCapacity {
  /**
   * Takes a part of the capacity, 1 by default, and returns its release function, which is idempotent.
   *
   * @throws SERVICE_UNAVAILABLE when not enough is free
   */
  take(customerId: string, size?: number): () => void;
}

export function createSharedCapacity({ perCustomer, total, reasons }: SharedCapacityOptions): SharedCapacity {
  const takenBy = new Map<string, number>();
  let taken = 0;
  const add = (customerId: string, size: number): void => {
    const own = (takenBy.get(customerId) ?? 0) + size;
    taken += size;
    if (own > 0) takenBy.set(customerId, own);
    else takenBy.delete(customerId);
  };
  return {
    take(customerId, size = 1) {
      if ((takenBy.get(customerId) ?? 0) + size > perCustomer) throw full(reasons.perCustomer);
      if (taken + size > total) throw full(reasons.total);
      add(customerId, size);
      let isTaken = true;
      return () => {
        if (isTaken) add(customerId, -size);
        isTaken = false;
      };
    },
  };
}

const full = (reason: string) => serviceError('SERVICE_UNAVAILABLE', { reason });
