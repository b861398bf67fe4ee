import { type Lifetime, lifetimeFromSignal } from './lifetime';
import type { Principal } from './principal';

/** What lives as long as one request, handed to every resolver. */
export interface RequestContext {
  readonly requestId: string;
  /** `undefined` when the request carries no credential. */
  readonly principal: Principal | undefined;
  /** Ends when the caller has gone or the request's budget is spent. */
  readonly lifetime: Lifetime;
  /** Aborts when `lifetime` ends. */
  readonly signal: AbortSignal;
  /** The loader that `create` makes, made at the first call of this request and shared afterwards. */
  loader<Loader>(create: (context: RequestContext) => Loader): Loader;
}

type RequestContextParts = Pick<RequestContext, 'requestId' | 'principal'> &
  ({ readonly lifetime: Lifetime } | { readonly signal: AbortSignal });

export const createRequestContext = (parts: RequestContextParts): RequestContext => new ContextOfOneRequest(parts);

/** A class, so that a request costs one object: its methods and what is made late are not made for each. */
class ContextOfOneRequest implements RequestContext {
  readonly requestId: string;
  readonly principal: Principal | undefined;
  readonly lifetime: Lifetime;
  private loaders: Map<unknown, unknown> | undefined;

  constructor(parts: RequestContextParts) {
    this.requestId = parts.requestId;
    this.principal = parts.principal;
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
