import { serviceError } from '../errors/service-error';
import { addressKey } from '../chains/addresses';

const canonicalLists = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

function canonicalList(blocked: ReadonlySet<string>): ReadonlySet<string> {
  const cached = canonicalLists.get(blocked);
  if (cached !== undefined) return cached;
  const list = new Set([...blocked].map((address) => addressKey(address.trim())));
  canonicalLists.set(blocked, list);
  return list;
}

/** True for a blocked (sanctioned) address. */
export const isBlocked = (blocked: ReadonlySet<string>, address: string): boolean =>
  canonicalList(blocked).has(addressKey(address));

/** Refuses to serve a blocked (sanctioned) address. Absent ones are skipped. @throws FORBIDDEN */
export function assertNotBlocked(blocked: ReadonlySet<string>, addresses: Iterable<string | null | undefined>): void {
  for (const address of addresses) {
    if (address === null || address === undefined || !isBlocked(blocked, address)) continue;
    throw serviceError('FORBIDDEN', { reason: `the address ${address} is blocked` });
  }
}
