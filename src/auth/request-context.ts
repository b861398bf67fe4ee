import type { Principal } from './principal';

/** What lives as long as one request, handed to every resolver. */
export interface RequestContext {
  readonly requestId: string;
  /** `undefined` when the request carries no credential. */
  readonly principal: Principal | undefined;
  /** Aborts when the caller has gone or the request's budget is spent. */
  readonly signal: AbortSignal;
  /** The loader that `create` makes, made at the first call of this request and shared afterwards. */
  loader<Loader>(create: (context: RequestContext) => Loader): Loader;
}

export function createRequestContext(
  parts: Pick<RequestContext, 'requestId' | 'principal' | 'signal'>,
): RequestContext {
  const loaders = new Map<unknown, unknown>();
  const context: RequestContext = {
    ...parts,
    loader<Loader>(create: (context: RequestContext) => Loader): Loader {
      if (!loaders.has(create)) loaders.set(create, create(context));
      return loaders.get(create) as Loader;
    },
  };
  return context;
}
