import { type Lifetime, lifetimeFromSignal } from './request-lifetime';
import type { Principal } from './principal';

/** The state of one request, passed to every resolver. */
export interface RequestContext {
  readonly requestId: string;
  /** `undefined` when the request carries no credential. */
  readonly principal: Principal | undefined;
  /** Identifies the caller in queues that serve callers in turns: the customer, or the network of the address without a credential. */
  readonly caller: string;
  /** Ends when the caller disconnects or the request's time budget is spent. */
  readonly lifetime: Lifetime;
  /** Aborts when `lifetime` ends. */
  readonly signal: AbortSignal;
  /** Returns the request's loader, which `create` builds at the first call. */
  loader<Loader>(create: (context: RequestContext) => Loader): Loader;
}

type RequestContextParts = Pick<RequestContext, 'requestId' | 'principal'> &
  Partial<Pick<RequestContext, 'caller'>> &
  ({ readonly lifetime: Lifetime } | { readonly signal: AbortSignal });

export const createRequestContext = (parts: RequestContextParts): RequestContext => new SingleRequestContext(parts);

/** The context of one event of a subscription: its loaders have nothing of former events, whose data may have changed. */
export const contextOfEvent = ({ requestId, principal, caller, lifetime }: RequestContext): RequestContext =>
  createRequestContext({ requestId, principal, caller, lifetime });

/** A class, so that a request allocates one object: methods are shared, and signal and loaders are created on first use. */
class SingleRequestContext implements RequestContext {
  readonly requestId: string;
  readonly principal: Principal | undefined;
  readonly caller: string;
  readonly lifetime: Lifetime;
  private loaders: Map<unknown, unknown> | undefined;

  constructor(parts: RequestContextParts) {
    this.requestId = parts.requestId;
    this.principal = parts.principal;
    this.caller = parts.caller ?? parts.principal?.customerId ?? 'anonymous';
    this.lifetime = 'lifetime' in parts ? parts.lifetime : lifetimeFromSignal(parts.signal);
    this.loaders = undefined;
  }

  get signal(): AbortSignal {
    return this.lifetime.signal();
  }

  loader<Loader>(create: (context: RequestContext) => Loader): Loader {
    const loaders = (this.loaders ??= new Map());
    if (!loaders.has(create)) loaders.set(create, create(this));
    return loaders.get(create) as Loader;
  }
}
