import { lookup, type LookupAddress, promises } from 'node:dns';
import type { LookupFunction } from 'node:net';

export interface LookupGuard {
  readonly resolve: (hostname: string) => Promise<readonly LookupAddress[]>;
  readonly isAllowed: (address: string) => boolean;
  /** The error for a host with an address that is not allowed. */
  readonly refuse: () => Error;
}

/**
 * A lookup for connections to hosts that callers provide. It checks the addresses that the connection then uses, which
 * prevents DNS rebinding. One address that is not allowed refuses the host. It is not called for address literals.
 */
export const guardedLookup =
  ({ resolve, isAllowed, refuse }: LookupGuard): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const areAllowed = first !== undefined && addresses.every(({ address }) => isAllowed(address));
        if (!areAllowed) callback(refuse(), '', 4);
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 4),
    );
  };

/** The addresses of a host by the system's resolver. */
export const resolveAll = (hostname: string): Promise<readonly LookupAddress[]> =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

const QUERY_TIMEOUT_MS = 2000;

export interface DnsOptions {
  /** Address and port of each; those of the system by default. */
  readonly servers?: readonly string[];
  /** Timeout of a query in milliseconds; 2,000 by default. */
  readonly timeoutMs?: number;
}

export interface NameQuery {
  readonly hostname: string;
  /** Cancels the queries. */
  readonly signal: AbortSignal;
}

/**
 * The addresses of a public host, by queries to the DNS servers. Not by the system's resolver: it takes one of the few threads
 * of the process for as long as the servers of a domain need, which the owner of the domain decides.
 */
export async function resolvePublicHost(
  { hostname, signal }: NameQuery,
  { servers, timeoutMs = QUERY_TIMEOUT_MS }: DnsOptions = {},
): Promise<readonly LookupAddress[]> {
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries: 1 });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const addressesOf = (result: PromiseSettledResult<readonly string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
