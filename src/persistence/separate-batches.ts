import { invariant } from '../errors/invariant-error';
import { currentScope, runInScope, type Scope } from './customer-scope';
import type { PrismaClient } from './client/client';

type Request = object;

/** The part of the client that combines the `findUnique`s of one tick. Its type does not declare it. */
interface Batching {
  readonly _requestHandler?: {
    readonly dataloader?: {
      readonly options: {
        batchBy: (request: Request) => string | undefined;
        singleLoader: (request: Request) => Promise<unknown>;
        batchLoader: (requests: readonly Request[]) => Promise<unknown>;
      };
    };
  };
}

/**
 * Keeps queries of different scopes apart. The client combines look-ups by a unique key that start in the same tick into one
 * statement, and runs all that start in it on behalf of the first one: a look-up would run for another customer, and find nothing.
 *
 * @throws InvariantError with a version of the client that has another structure
 */
export function separateBatches(database: PrismaClient): void {
  const options = (database as unknown as Batching)._requestHandler?.dataloader?.options;
  invariant(
    options !== undefined && [options.batchBy, options.singleLoader, options.batchLoader].every(isFunction),
    'this version of the database client combines queries in another way',
  );
  const scopes = new WeakMap<Request, Scope>();
  const scopeOf = (request: Request | undefined): Scope =>
    (request === undefined ? undefined : scopes.get(request)) ?? currentScope();
  const { batchBy, singleLoader, batchLoader } = options;
  options.batchBy = (request) => {
    const key = batchBy.call(options, request);
    if (key === undefined) return undefined;
    const scope = currentScope();
    scopes.set(request, scope);
    return `${JSON.stringify(scope)} ${key}`;
  };
  options.singleLoader = (request) => runInScope(scopeOf(request), () => singleLoader.call(options, request));
  options.batchLoader = (requests) => runInScope(scopeOf(requests[0]), () => batchLoader.call(options, requests));
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
