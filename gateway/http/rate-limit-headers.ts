import type { FastifyReply } from 'fastify';
import type { RateLimitWindow } from '../../src/auth/rate-limit/rate-limiter';
import type { HeaderPairs } from './header-pairs';

const SECONDS = { minute: 60, hour: 3600 } as const;

/**
 * `RateLimit-Policy` and `RateLimit` list every window; the three `X-RateLimit-*` describe the window with the fewest
 * requests left. Resets are in seconds from now.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function rateLimitHeaders(windows: readonly RateLimitWindow[]): HeaderPairs {
  let policy = '';
  let state = '';
  let tightest: RateLimitWindow | undefined;
  for (const window of windows) {
    const separator = policy === '' ? '' : ', ';
    policy += `${separator}"${window.name}";q=${window.limit};w=${SECONDS[window.name]}`;
    state += `${separator}"${window.name}";r=${window.remaining};t=${window.resetSeconds}`;
    if (tightest === undefined || window.remaining < tightest.remaining) tightest = window;
  }
  if (tightest === undefined) return [];
  return [
    ['ratelimit-policy', policy],
    ['ratelimit', state],
    ['x-ratelimit-limit', String(tightest.limit)],
    ['x-ratelimit-remaining', String(tightest.remaining)],
    ['x-ratelimit-reset', String(tightest.resetSeconds)],
  ];
}

/** Headers for requests that are not rate-limited (health, documentation, preflights): the full limit remains. */
export const untouchedAllowance = (limit: number): HeaderPairs =>
  rateLimitHeaders([{ name: 'minute', limit, remaining: limit, resetSeconds: SECONDS.minute }]);

export function writeRateLimitHeaders(reply: FastifyReply, headers: HeaderPairs): void {
  for (const [name, value] of headers) reply.header(name, value);
}
