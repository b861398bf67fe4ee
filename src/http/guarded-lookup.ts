import { lookup, type LookupAddress } from 'node:dns';
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
