import { type DocumentNode, parse } from 'graphql';
import type { Logger } from 'pino';
import { InvariantError } from '../../../src/errors/invariant-error';
import { isServiceError, serviceError } from '../../../src/errors/service-error';
import { formatServiceError } from '../formatted-error';
import { isPromise, type MaybePromise } from '../maybe-promise';
import type { SubgraphResponse } from '../subgraph/subgraph-response';
import type { SubgraphResult, SubgraphTransport } from '../subgraph/subgraph-transport';
import type { ExecutionState } from './execution-state';

export interface FetchDescription {
  readonly serviceName: string;
  readonly operation: string;
  readonly operationKind?: 'query' | 'mutation' | 'subscription';
  readonly variableUsages?: readonly string[];
}

export interface SubgraphFetch<Result> {
  readonly document: DocumentNode;
  /** Sends the operation with `variables` and the caller's variables that it uses. Never throws or rejects. */
  send(state: ExecutionState, variables: Record<string, unknown>): MaybePromise<Result | SubgraphResponse>;
}

export interface FetchDeps {
  readonly transports: Readonly<Record<string, SubgraphTransport>>;
  readonly log: Logger;
}

/** Compiles a request with a single response. */
export function compileFetch(deps: FetchDeps, description: FetchDescription): SubgraphFetch<SubgraphResponse> {
  return compileSend(deps, description) as SubgraphFetch<SubgraphResponse>;
}

/** Compiles a request that starts a stream of responses, unless it fails. */
export function compileSubscriptionFetch(
  deps: FetchDeps,
  description: FetchDescription,
): SubgraphFetch<SubgraphResult> {
  return compileSend(deps, description);
}

function compileSend(deps: FetchDeps, description: FetchDescription): SubgraphFetch<SubgraphResult> {
  const { serviceName, operation, operationKind = 'query', variableUsages = [] } = description;
  const transport = deps.transports[serviceName];
  if (transport === undefined) throw new InvariantError(`no transport leads to the subgraph ${serviceName}`);
  const document = parse(operation, { noLocation: true });
  const call = transport.compile(operation, document, operationKind);
  const failed = (state: ExecutionState, cause: unknown): SubgraphResponse => {
    const error = isServiceError(cause) ? cause : serviceError('SUBREQUEST_FAILED', {}, { cause });
    const { requestId } = state.context;
    deps.log.warn({ err: cause, subgraph: serviceName, requestId }, 'a request to a subgraph failed');
    return { data: null, errors: [formatServiceError(error)] };
  };
  const send = (state: ExecutionState, variables: Record<string, unknown>): MaybePromise<SubgraphResult> => {
    if (state.context.lifetime.hasEnded())
      return { data: null, errors: [formatServiceError(serviceError('SUBREQUEST_TIMEOUT'))] };
    for (const name of variableUsages) {
      const value = state.variables[name];
      if (value !== undefined) variables[name] = value;
    }
    try {
      const result = call(variables, state.context);
      return isPromise(result) ? result.catch((cause: unknown) => failed(state, cause)) : result;
    } catch (cause) {
      return failed(state, cause);
    }
  };
  return { document, send };
}
