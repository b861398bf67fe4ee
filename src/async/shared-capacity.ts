import { serviceError } from '../errors/service-error';

export interface SharedCapacityOptions {
  /** Maximum of one customer, and of all customers of this process together. */
  readonly perCustomer: number;
  readonly total: number;
  /** The error at the maximum of one customer. */
  readonly customerError: (maximum: number) => Error;
  /** The state at the maximum of all customers together, for the error. */
  readonly full: string;
}

/** A capacity of this process, such as open streams or bytes in memory, that no customer can take alone. */
export interface SharedCapacity {
  /**
   * Takes a part of the capacity, 1 by default, and returns its release function, which is idempotent. `maximum` replaces
   * `perCustomer`.
   *
   * @throws the error of `customerError`; SERVICE_UNAVAILABLE when not enough is free for all customers together
   */
  take(customerId: string, size?: number, maximum?: number): () => void;
}

export function createSharedCapacity({
  perCustomer,
  total,
  customerError,
  full,
}: SharedCapacityOptions): SharedCapacity {
  const takenBy = new Map<string, number>();
  let taken = 0;
  const add = (customerId: string, size: number): void => {
    const own = (takenBy.get(customerId) ?? 0) + size;
    taken += size;
    if (own > 0) takenBy.set(customerId, own);
    else takenBy.delete(customerId);
  };
  return {
    take(customerId, size = 1, maximum = perCustomer) {
      if ((takenBy.get(customerId) ?? 0) + size > maximum) throw customerError(maximum);
      if (taken + size > total) throw serviceError('SERVICE_UNAVAILABLE', { reason: full });
      add(customerId, size);
      let isTaken = true;
      return () => {
        if (isTaken) add(customerId, -size);
        isTaken = false;
      };
    },
  };
}
