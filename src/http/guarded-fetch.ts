import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { isLoopbackHost, isPublicAddress, isPublicHost } from './public-address';

export interface GuardedFetchOptions {
  /** Hosts that may be asked, in lower case; one with a leading dot stands for the hosts below it. */
  readonly hosts: readonly string[];
  /** True when this machine may be asked too, over plain HTTP and at any port. */
  readonly allowLoopback: boolean;
  /** Looks names up; the system's resolver when absent. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

export interface GuardedRequest {
  readonly url: string;
  /** Longest body that is read, in bytes. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * - `notAllowed`: the URL, or what its host resolves to, is not one that may be asked. Nothing was connected to.
 * - `tooLarge`: the body is longer than it may be; reading stopped there.
 */
export type GuardedFailure =
  | { readonly failure: 'notAllowed' | 'unreachable' | 'timeout' | 'tooLarge' }
  | { readonly failure: 'status'; readonly status: number };

export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';
  constructor(readonly reason: GuardedFailure) {
    super(`a guarded fetch failed: ${reason.failure}`);
  }
}

/** Fetches what callers name. */
export interface GuardedFetch {
  /** The body of a 200 answer. @throws GuardedFetchError */
  fetch(request: GuardedRequest): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * A fetch for URLs that come from strangers: https at port 443 of known hosts alone, without credentials, without
 * redirects, and only to public addresses. The address is checked when it is connected to, so that a name which
 * resolves to another one in between gets nowhere.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { hosts, allowLoopback, resolve = resolveAll } = options;
  const isAllowed = (address: string): boolean =>
    isPublicAddress(address) || (allowLoopback && isLoopbackHost(address));
  const agent = new Agent({ connect: { lookup: guardedLookup(resolve, isAllowed), timeout: 5000 } });
  return {
    async fetch({ url: text, maxBytes, signal }) {
      const url = allowedUrl(text, { hosts, allowLoopback });
      try {
        const answer = await request(url, { dispatcher: agent, signal, method: 'GET' });
        if (answer.statusCode !== 200) {
          await answer.body.dump({ limit: 0 }).catch(() => undefined);
          throw new GuardedFetchError({ failure: 'status', status: answer.statusCode });
        }
        return await readBody(answer.body, maxBytes);
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    close: () => agent.destroy(),
  };
}

/** True when the text is a URL that may be fetched, as far as its spelling tells. */
export function isAllowedUrl(text: string, options: Pick<GuardedFetchOptions, 'hosts' | 'allowLoopback'>): boolean {
  try {
    allowedUrl(text, options);
    return true;
  } catch {
    return false;
  }
}

const MAX_URL_LENGTH = 4096;
const notAllowed = () => new GuardedFetchError({ failure: 'notAllowed' });

function allowedUrl(text: string, { hosts, allowLoopback }: Pick<GuardedFetchOptions, 'hosts' | 'allowLoopback'>): URL {
  if (text.length > MAX_URL_LENGTH || !/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) throw notAllowed();
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw notAllowed();
  if (allowLoopback && isLoopbackHost(url.hostname)) return url;
  if (!isKnownHost(url, hosts)) throw notAllowed();
  return url;
}

function isKnownHost({ protocol, port, hostname }: URL, hosts: readonly string[]): boolean {
  // The default port reads as an empty text.
  if (protocol !== 'https:' || port !== '' || !isPublicHost(hostname)) return false;
  return hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host));
}

function guardedLookup(
  resolve: NonNullable<GuardedFetchOptions['resolve']>,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const isSound = first !== undefined && addresses.every(({ address }) => isAllowed(address));
        if (!isSound) callback(notAllowed(), '', 4);
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 4),
    );
  };
}

const resolveAll = (hostname: string): Promise<readonly LookupAddress[]> =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new GuardedFetchError({ failure: 'tooLarge' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The connection wraps what the look-up said. */
function failureOf(error: unknown, signal: AbortSignal): GuardedFetchError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof GuardedFetchError) return cause;
    if (cause instanceof AggregateError) return failureOf(cause.errors[0], signal);
  }
  return new GuardedFetchError({ failure: signal.aborted ? 'timeout' : 'unreachable' });
}
