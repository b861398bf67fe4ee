import type { FastifyRequest } from 'fastify';
import { clientNetwork } from '../../src/auth/rate-limit/client-address';
import type { Lifetime } from '../../src/auth/request-lifetime';
import type { Principal } from '../../src/auth/principal';
import { createRequestContext, type RequestContext } from '../../src/auth/request-context';
import type { OperationCost } from '../federation/cost/operation-cost';
import type { RateLimitWindow } from '../../src/auth/rate-limit/rate-limiter';

/** State of a request that its hooks fill in. */
export interface RequestScope {
  readonly startedAt: number;
  principal: Principal | undefined;
  /** `undefined` until the request has been counted against a rate limit. */
  windows: readonly RateLimitWindow[] | undefined;
  /** Take back what was counted against rate limits. */
  readonly refunds: (() => Promise<void>)[];
  /** True when the service could not serve the request and the caller is not charged for it. */
  isUnserved: boolean;
  /** Cost of the operation, once it was computed. Only for GraphQL. */
  cost: OperationCost | undefined;
  /** Number of root fields that are executed. Only for GraphQL. */
  rootFields: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    scope: RequestScope;
  }
}

export const createRequestScope = (): RequestScope => ({
  startedAt: performance.now(),
  principal: undefined,
  windows: undefined,
  refunds: [],
  isUnserved: false,
  cost: undefined,
  rootFields: 0,
});

/** Identifies the caller in queues that serve callers in turns. */
export const callerOf = ({ scope, ip }: Pick<FastifyRequest, 'scope' | 'ip'>): string =>
  scope.principal?.customerId ?? clientNetwork(ip);

/** The context for resolvers. It ends when the caller disconnects or the deadline passes. */
export const requestContext = (request: FastifyRequest, lifetime: Lifetime): RequestContext =>
  createRequestContext({
    requestId: request.id,
    principal: request.scope.principal,
    caller: callerOf(request),
    lifetime,
  });
