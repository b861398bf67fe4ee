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

/** Refuses to serve a blocked (sanctioned) address. Absent ones are skipped. @throws FORBIDDEN */
export function assertNotBlocked(blocked: ReadonlySet<string>, addresses: Iterable<string | null | undefined>): void {
  const list = canonicalList(blocked);
  for (const address of addresses) {
    if (address === null || address === undefined || !list.has(addressKey(address))) continue;
    throw serviceError('FORBIDDEN', { reason: `the address ${address} is blocked` });
  }
}
