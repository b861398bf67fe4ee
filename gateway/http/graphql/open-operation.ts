import type { FastifyRequest } from 'fastify';
import type { DocumentNode } from 'graphql';
import { serviceError } from '../../../src/errors/service-error';
import { validationError } from '../../../src/errors/validation';
import type { CallerOperation } from '../../federation/federated-graph';
import { problemOfJson } from '../../edge/text-safety';
import { countRequest } from '../../edge/count-request';
import type { GraphDependencies } from '../../edge/dependencies';
import { callerOf } from '../../edge/request-scope';
import { inspectDocument } from './inspect-document';

/** An operation as a caller sent it, its document parsed. */
export interface SentOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Validates, plans and charges an operation of a caller. */
export type OpenOperation = (request: FastifyRequest, sent: SentOperation) => Promise<CallerOperation>;

/**
 * The returned function throws DOCUMENT_LIMIT_EXCEEDED, GRAPHQL_VALIDATION_FAILED, OPERATION_RESOLUTION_FAILURE,
 * DOCUMENT_REFUSED, VALIDATION_ERROR, RATE_LIMIT_EXCEEDED, RATE_LIMITED.
 *
 * Prepared operations are kept by the graph alone, whose cache is bounded: one document can contain many operations.
 */
export function createOpenOperation(deps: Pick<GraphDependencies, 'config' | 'graph' | 'rateLimiter'>): OpenOperation {
  return async (request, sent) => {
    const opened = await prepareOperation(deps, sent, callerOf(request));
    const problem = problemOfJson(sent.variables);
    if (problem !== undefined) throw validationError([{ path: 'variables', message: problem }]);
    const cost = opened.costOf(sent.variables);
    request.scope.cost = cost;
    assertAffordable(request.scope, cost.requests);
    // Admission has already charged one request.
    if (cost.requests > 1) await countRequest(deps.rateLimiter, request, cost.requests - 1);
    return opened;
  };
}

/** @throws DOCUMENT_LIMIT_EXCEEDED for an operation that exceeds a whole window: it would be refused at any time */
function assertAffordable({ windows = [] }: FastifyRequest['scope'], requests: number): void {
  const window = windows.find(({ limit }) => requests > limit);
  if (window === undefined) return;
  const counted = `requests per ${window.name}; it costs ${requests}`;
  throw serviceError('DOCUMENT_LIMIT_EXCEEDED', { maximum: window.limit, counted });
}

async function prepareOperation(
  { config, graph }: Pick<GraphDependencies, 'config' | 'graph'>,
  { document, operationName }: SentOperation,
  caller: string,
): Promise<CallerOperation> {
  const prepared = await graph.prepare(document, operationName, caller);
  const inspection = inspectDocument(document);
  if (inspection.textProblem !== undefined) {
    throw validationError([{ path: 'query', message: `has a string that ${inspection.textProblem}` }]);
  }
  if (inspection.introspects && !config.GRAPHQL_INTROSPECTION) {
    throw serviceError('GRAPHQL_VALIDATION_FAILED', { reason: 'introspection is disabled' });
  }
  return prepared;
}
