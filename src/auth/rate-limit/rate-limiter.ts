import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { clientNetwork } from './client-address';
import type { WindowDecision } from './coalesced-count';
import type { CustomerStanding } from '../credentials/credential-store';
import { effectiveLimit } from '../customer-limits';
import { type CountedRequest, createWindowCounter } from './window-counter';
import type { CustomerId } from '../principal';

/** The subject whose requests are counted. */
export type RateLimitSubject =
  | { readonly kind: 'caller'; readonly callerId: string; readonly customerId: CustomerId }
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
  /** The windows, the shorter first. The hour is not consulted when the minute is exceeded. */
  readonly windows: readonly RateLimitWindow[];
  /** Seconds; `undefined` when the request is allowed. */
  readonly retryAfter: number | undefined;
  readonly exceeded: RateLimitWindow | undefined;
  /** Takes back the counted requests, which the service could not serve. Never rejects. */
  refund(): Promise<void>;
}

/** Counts requests against their limits, across all processes. */
export interface RateLimiter {
  /** Counts requests, unless they exceed a limit. `cost`: the number of requests, at least 1. */
  consume(subject: RateLimitSubject, cost: number): Promise<RateLimitDecision>;
}

/** Own rate limits of a customer; `null` stands for the deployment's limit. */
type CustomerRates = Pick<CustomerStanding, 'rateLimitPerMinute' | 'rateLimitPerHour'> &
  Partial<Pick<CustomerStanding, 'chosenLimits'>>;

export interface RateLimiterDeps {
  readonly pool: Pool;
  /** Limits of the deployment. A customer's own limits replace the first two. */
  readonly limits: { readonly perMinute: number; readonly perHour: number; readonly perMinuteUnauthenticated: number };
  /** May return a value a few seconds old. */
  readonly findCustomer: (id: CustomerId) => Promise<CustomerRates | undefined>;
  /** Maximum wait for the database before a request is counted in memory, in milliseconds; 2,000 by default. */
  readonly storeTimeoutMs?: number;
}

interface Limit {
  readonly name: RateLimitWindow['name'];
  readonly limit: number;
}

const SECONDS = { minute: 60, hour: 3600 } as const;
/** The table's key column has 255 characters. */
const MAX_KEY_LENGTH = 200;

export function createRateLimiter({ pool, limits, findCustomer, storeTimeoutMs }: RateLimiterDeps): RateLimiter {
  const windows = {
    minute: createWindowCounter({ pool, storeTimeoutMs, name: 'minute', seconds: SECONDS.minute }),
    hour: createWindowCounter({ pool, storeTimeoutMs, name: 'hour', seconds: SECONDS.hour }),
  };

  async function limitsOf(subject: RateLimitSubject): Promise<readonly Limit[]> {
    if (subject.kind === 'address') return [{ name: 'minute', limit: limits.perMinuteUnauthenticated }];
    const customer = await findCustomer(subject.customerId);
    const { requestsPerMinute, requestsPerHour } = customer?.chosenLimits ?? {};
    const [perMinute, perHour] = [customer?.rateLimitPerMinute, customer?.rateLimitPerHour];
    return [
      { name: 'minute', limit: effectiveLimit(perMinute ?? limits.perMinute, requestsPerMinute) },
      { name: 'hour', limit: effectiveLimit(perHour ?? limits.perHour, requestsPerHour) },
    ];
  }

  return {
    async consume(subject, cost) {
      const key = keyOf(subject);
      const consumed: RateLimitWindow[] = [];
      const counted: CountedRequest[] = [];
      const refund = async (): Promise<void> => {
        await Promise.all(counted.splice(0).map((request) => request.refund()));
      };
      for (const { name, limit } of await limitsOf(subject)) {
        const decision = await windows[name].consume(key, limit, cost);
        const window = toRateLimitWindow({ name, limit }, decision);
        if (!decision.allowed) {
          // A used-up hour needs no refund of the minute, which ends first.
          if (window.remaining > 0) await refund();
          const shown = window.remaining > 0 ? consumed.map((shorter) => withCost(shorter, cost)) : consumed;
          const retryAfter = window.resetSeconds;
          return { allowed: false, windows: [...shown, window], retryAfter, exceeded: window, refund };
        }
        consumed.push(window);
        counted.push(decision);
      }
      return { allowed: true, windows: consumed, retryAfter: undefined, exceeded: undefined, refund };
    },
  };
}

const toRateLimitWindow = (limit: Limit, { remaining, resetMs }: WindowDecision): RateLimitWindow => ({
  ...limit,
  remaining,
  resetSeconds: Math.max(Math.ceil(resetMs / 1000), 1),
});

const withCost = (window: RateLimitWindow, cost: number): RateLimitWindow => ({
  ...window,
  remaining: window.remaining + cost,
});

function keyOf(subject: RateLimitSubject): string {
  const key = subject.kind === 'caller' ? `key:${subject.callerId}` : `address:${clientNetwork(subject.address)}`;
  return key.length <= MAX_KEY_LENGTH ? key : createHash('sha256').update(key).digest('hex');
}
