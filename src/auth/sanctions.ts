import { serviceError } from '../errors/service-error';

/** The spelling under which two addresses are the same: EVM addresses have no case, Solana's do. */
const canonical = (address: string): string => (/^0x/i.test(address) ? address.toLowerCase() : address);

const canonicalLists = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

function canonicalList(blocked: ReadonlySet<string>): ReadonlySet<string> {
  const known = canonicalLists.get(blocked);
  if (known !== undefined) return known;
  const list = new Set([...blocked].map((address) => canonical(address.trim())));
  canonicalLists.set(blocked, list);
  return list;
}

/** Refuses to serve a blocked (sanctioned) address. @throws FORBIDDEN */
export function assertNotBlocked(blocked: ReadonlySet<string>, addresses: Iterable<string>): void {
  const list = canonicalList(blocked);
  for (const address of addresses) {
    if (list.has(canonical(address))) throw serviceError('FORBIDDEN', { reason: `the address ${address} is blocked` });
  }
}
