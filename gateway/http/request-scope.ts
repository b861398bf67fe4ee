import type { FastifyRequest } from 'fastify';
import type { Lifetime } from '../../src/auth/lifetime';
import type { Principal } from '../../src/auth/principal';
import { createRequestContext, type RequestContext } from '../../src/auth/request-context';
import type { RateLimitWindow } from '../../src/auth/rate-limiter';

/** What the edge learns about a request on its way. */
export interface RequestScope {
  readonly startedAt: number;
  principal: Principal | undefined;
  /** `undefined` until the request has been charged to somebody. */
  windows: readonly RateLimitWindow[] | undefined;
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
});

/** The context that resolvers get; it ends when the caller has gone or the time is up. */
export const contextOf = (request: FastifyRequest, lifetime: Lifetime): RequestContext =>
  createRequestContext({ requestId: request.id, principal: request.scope.principal, lifetime });
