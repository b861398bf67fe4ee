import type { LookupAddress } from 'node:dns';
import { Agent, request } from 'undici';
import { guardedLookup, resolveAll } from './guarded-lookup';
import { isLoopbackHost, isPublicAddress, isPublicHost } from './public-address';

export interface GuardedFetchOptions {
  /** Allowed hosts in lower case; a leading dot allows all subdomains. */
  readonly hosts: readonly string[];
  /** True when URLs of this machine are allowed, also over plain HTTP and at any port. */
  readonly allowLoopback: boolean;
  /** Resolves host names; the system's resolver by default. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

export interface GuardedRequest {
  readonly url: string;
  /** Maximum size of the response body, in bytes. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * - `notAllowed`: the URL or the address of its host is not allowed. No connection was made.
 * - `tooLarge`: the body exceeds the maximum; the rest was not read.
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

/** Fetches URLs that callers provide. */
export interface GuardedFetch {
  /** The body of a 200 response. @throws GuardedFetchError */
  fetch(request: GuardedRequest): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * A fetch for untrusted URLs: only https at port 443 of allowed hosts, without credentials and redirects, and only to public
 * addresses. The address is checked when the connection is made, which prevents DNS rebinding.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { hosts, allowLoopback, resolve = resolveAll } = options;
  const isAllowed = (address: string): boolean =>
    isPublicAddress(address) || (allowLoopback && isLoopbackHost(address));
  const agent = new Agent({
    connect: { lookup: guardedLookup({ resolve, isAllowed, refuse: notAllowed }), timeout: 5000 },
  });
  return {
    async fetch({ url: text, maxBytes, signal }) {
      const url = allowedUrl(text, { hosts, allowLoopback });
      try {
        const response = await request(url, { dispatcher: agent, signal, method: 'GET' });
        if (response.statusCode !== 200) {
          await response.body.dump({ limit: 0 }).catch(() => undefined);
          throw new GuardedFetchError({ failure: 'status', status: response.statusCode });
        }
        return await readBody(response.body, maxBytes);
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    close: () => agent.destroy(),
  };
}

/** True when the URL is allowed, without resolving its host. */
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
  if (!isAllowedHost(url, hosts)) throw notAllowed();
  return url;
}

function isAllowedHost({ protocol, port, hostname }: URL, hosts: readonly string[]): boolean {
  // `port` is empty for the default port.
  if (protocol !== 'https:' || port !== '' || !isPublicHost(hostname)) return false;
  return hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host));
}

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

/** The connection error wraps the error of the lookup. */
function failureOf(error: unknown, signal: AbortSignal): GuardedFetchError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof GuardedFetchError) return cause;
    if (cause instanceof AggregateError) return failureOf(cause.errors[0], signal);
  }
  return new GuardedFetchError({ failure: signal.aborted ? 'timeout' : 'unreachable' });
}
