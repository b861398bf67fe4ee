import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { clientNetwork } from './client-address';
import { type WindowDecision } from './coalesced-count';
import type { CustomerStanding } from '../credentials/credential-store';
import { createFixedWindow } from './fixed-window';
import type { CustomerId } from '../principal';

/** The subject whose requests are counted. */
export type RateLimitSubject =
  | { readonly kind: 'apiKey'; readonly keyId: string; readonly customerId: CustomerId }
  | { readonly kind: 'address'; readonly address: string };

export interface RateLimitWindow {
  readonly name: 'minute' | 'hour';
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

export interface RateLimitDecision {
  readonly allowed: boolean;
  /** The consumed windows, the shorter first. The hour is not consumed when the minute is exceeded. */
  readonly windows: readonly RateLimitWindow[];
  /** Seconds; `undefined` when the request is allowed. */
  readonly retryAfter: number | undefined;
  readonly exceeded: RateLimitWindow | undefined;
}

/** Counts requests against their limits, across all processes. */
export interface RateLimiter {
  /** `cost`: the number of requests to count, at least 1. */
  consume(subject: RateLimitSubject, cost: number): Promise<RateLimitDecision>;
  /** Takes back counted requests that the service could not serve. Never rejects. */
  refund(subject: RateLimitSubject, cost: number): Promise<void>;
}

export interface RateLimiterDeps {
  readonly pool: Pool;
  /** Limits of the deployment. A customer's own limits replace the first two. */
  readonly limits: { readonly perMinute: number; readonly perHour: number; readonly perMinuteUnauthenticated: number };
  /** May return a value a few seconds old. */
  readonly findCustomer: (id: CustomerId) => Promise<CustomerStanding | undefined>;
}

interface Limit {
  readonly name: RateLimitWindow['name'];
  readonly limit: number;
}

const SECONDS = { minute: 60, hour: 3600 } as const;
/** The table's key column has 255 characters. */
const MAX_KEY_LENGTH = 200;

export function createRateLimiter({ pool, limits, findCustomer }: RateLimiterDeps): RateLimiter {
  const windows = {
    minute: createFixedWindow({ pool, name: 'minute', seconds: SECONDS.minute }),
    hour: createFixedWindow({ pool, name: 'hour', seconds: SECONDS.hour }),
  };

  async function limitsOf(subject: RateLimitSubject): Promise<readonly Limit[]> {
    if (subject.kind === 'address') return [{ name: 'minute', limit: limits.perMinuteUnauthenticated }];
    const customer = await findCustomer(subject.customerId);
    return [
      { name: 'minute', limit: customer?.rateLimitPerMinute ?? limits.perMinute },
      { name: 'hour', limit: customer?.rateLimitPerHour ?? limits.perHour },
    ];
  }

  return {
    async consume(subject, cost) {
      const key = keyOf(subject);
      const consumed: RateLimitWindow[] = [];
      for (const { name, limit } of await limitsOf(subject)) {
        const decision = await windows[name].consume(key, limit, cost);
        const window = toRateLimitWindow({ name, limit }, decision);
        consumed.push(window);
        if (!decision.allowed)
          return { allowed: false, windows: consumed, retryAfter: window.resetSeconds, exceeded: window };
      }
      return { allowed: true, windows: consumed, retryAfter: undefined, exceeded: undefined };
    },
    async refund(subject, cost) {
      const counted = await limitsOf(subject).catch(() => []);
      await Promise.all(counted.map(({ name, limit }) => windows[name].refund(keyOf(subject), limit, cost)));
    },
  };
}

const toRateLimitWindow = (limit: Limit, { remaining, resetMs }: WindowDecision): RateLimitWindow => ({
  ...limit,
  remaining,
  resetSeconds: Math.max(Math.ceil(resetMs / 1000), 1),
});

function keyOf(subject: RateLimitSubject): string {
  const key = subject.kind === 'apiKey' ? `key:${subject.keyId}` : `address:${clientNetwork(subject.address)}`;
  return key.length <= MAX_KEY_LENGTH ? key : createHash('sha256').update(key).digest('hex');
}
