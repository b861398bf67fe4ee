import type { FastifyRequest } from 'fastify';
import { type DocumentNode, getOperationAST } from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import { validationError } from '../../../src/errors/validation';
import type { PreparedOperation } from '../../federation/federated-graph';
import { problemOfJson } from '../../rest/coercion/text-safety';
import { charge } from '../charge';
import type { GatewayDependencies } from '../dependencies';
import { inspectDocument } from './inspect-document';

/** An operation as a caller sent it, its document parsed. */
export interface SentOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface OpenedOperation {
  readonly prepared: PreparedOperation;
  /** Requests that it stands for. */
  readonly cost: number;
}

/** Makes an operation ready to run: valid, planned, and paid for. */
export type OpenOperation = (request: FastifyRequest, sent: SentOperation) => Promise<PreparedOperation>;

/**
 * The returned function throws DOCUMENT_LIMIT_EXCEEDED, GRAPHQL_VALIDATION_FAILED, OPERATION_RESOLUTION_FAILURE,
 * DOCUMENT_REFUSED, VALIDATION_ERROR, RATE_LIMIT_EXCEEDED, RATE_LIMITED.
 *
 * Documents that are kept keep what was found out about their operations.
 */
export function createOpenOperation(
  deps: Pick<GatewayDependencies, 'config' | 'graph' | 'rateLimiter'>,
): OpenOperation {
  const byDocument = new WeakMap<DocumentNode, Map<string, OpenedOperation>>();
  return async (request, sent) => {
    const { document, operationName = '' } = sent;
    const known = byDocument.get(document)?.get(operationName);
    const opened = known ?? (await prepareOperation(deps, sent));
    if (known === undefined) {
      byDocument.set(
        document,
        (byDocument.get(document) ?? new Map<string, OpenedOperation>()).set(operationName, opened),
      );
    }
    const problem = problemOfJson(sent.variables);
    if (problem !== undefined) throw validationError([{ path: 'variables', message: problem }]);
    // The first was charged at the door, before the document was even read.
    if (opened.cost > 1) await charge(deps.rateLimiter, request, opened.cost - 1);
    return opened.prepared;
  };
}

async function prepareOperation(
  { config, graph }: Pick<GatewayDependencies, 'config' | 'graph'>,
  { document, operationName }: SentOperation,
): Promise<OpenedOperation> {
  const prepared = await graph.prepare(document, operationName);
  const inspection = inspectDocument(document);
  if (inspection.textProblem !== undefined) {
    throw validationError([{ path: 'query', message: `has a string that ${inspection.textProblem}` }]);
  }
  if (inspection.introspects && !config.GRAPHQL_INTROSPECTION) {
    throw serviceError('GRAPHQL_VALIDATION_FAILED', { reason: 'introspection is switched off' });
  }
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new InvariantError('the graph prepared an operation that the document does not have');
  return { prepared, cost: inspection.rootFields(operation) };
}
