import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, getOperationAST, GraphQLError } from 'graphql';
import { z } from 'zod';
import { type Lifetime, lifetimeFromSignal } from '../../../src/auth/request-lifetime';
import { serviceError } from '../../../src/errors/service-error';
import { abortable } from '../../federation/abortable';
import { assertTextWithinLimits } from '../../federation/document/text-limits';
import type { OperationResult, PreparedOperation } from '../../federation/federated-graph';
import { requestFailure, requestProblem } from '../../edge/failure';
import { reauthenticate } from '../../edge/admission';
import type { GraphDependencies } from '../../edge/dependencies';
import { requestContext } from '../../edge/request-scope';
import { type CostExtension, costExtension } from './cost-extension';
import type { GraphQLServerDependencies } from './apollo-server';
import { openEventStream, type StreamedResult } from './event-stream';
import { exposeOperationError, graphqlFailure } from './graphql-error';
import type { SentOperation } from './open-operation';
import { countRootFields } from './operation-metrics';
import { sendErrors } from './send-graphql-failure';

const operationSchema = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

export interface EventStreamHandler {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** Completes the open streams, which would otherwise never end. */
  close(): void;
}

type StreamDependencies = GraphQLServerDependencies & Pick<GraphDependencies, 'authenticator'>;

/**
 * Serves operations as server-sent events, one connection each.
 *
 * @see https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode
 */
export function createEventStreamHandler(deps: StreamDependencies): EventStreamHandler {
  const { documents, heavyWork, metrics, open } = deps;
  const streams = new Set<AbortController>();
  return {
    async handle(request, reply) {
      await heavyWork.takeTurn(request);
      if (hasLeft(reply)) return reply.hijack(); // while its request waited
      const sent = parseOperation(request, documents);
      if (sent instanceof GraphQLError) return sendErrors(reply, 400, [parseFailure(sent)]);
      refuseMutationByGet(request, sent);
      refuseKeyedMutation(request, sent);
      const prepared = await open(request, sent);
      if (hasLeft(reply)) return reply.hijack(); // 'close' would not be emitted again
      const ending = new AbortController();
      streams.add(ending);
      reply.raw.once('close', () => ending.abort());
      const lifetime = lifetimeFromSignal(ending.signal);
      try {
        const rootFields = prepared.rootFieldsOf(sent.variables);
        countRootFields(metrics, rootFields);
        const leave = await heavyWork.enter({ request, rootFields, lifetime });
        await sendResults(deps, { request, reply }, { prepared, variables: sent.variables, lifetime, leave });
      } finally {
        streams.delete(ending);
      }
      return undefined;
    },
    close() {
      for (const ending of streams) ending.abort();
    },
  };
}

/** Whether the client has closed its connection. */
const hasLeft = ({ raw }: FastifyReply): boolean => raw.destroyed;

interface StreamedOperation {
  readonly prepared: PreparedOperation;
  readonly variables: SentOperation['variables'];
  readonly lifetime: Lifetime;
  /** Ends the heavy work of the operation. */
  readonly leave: () => void;
}

async function sendResults(
  deps: StreamDependencies,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { prepared, variables, lifetime, leave }: StreamedOperation,
): Promise<void> {
  try {
    if (hasLeft(reply)) {
      reply.hijack(); // the client has left while it waited for its turn
      return;
    }
    const stream = openEventStream(reply);
    const context = requestContext(request, lifetime);
    // Ends with the context, even when the source of the events does not react.
    const results = abortable(prepared.subscribe(variables, context), context.signal);
    let extension: CostExtension = costExtension(request);
    for await (const result of results) {
      leave(); // a stream waits from now on: its first result took most of the work
      const refusal = await findRefusal(deps, request);
      await stream.next(refusal ?? { ...expose(result, request.id), ...extension });
      extension = {};
      if (refusal !== undefined) break;
    }
    stream.complete();
  } finally {
    leave();
  }
}

/** The last result of a stream whose credential has become invalid. */
async function findRefusal(deps: StreamDependencies, request: FastifyRequest): Promise<StreamedResult | undefined> {
  try {
    await reauthenticate(deps, request);
    return undefined;
  } catch (error) {
    return { errors: [graphqlFailure(requestFailure(error), request.id)] };
  }
}

/**
 * Parses the operation of a request. Returns the error of a document with invalid syntax.
 *
 * @throws VALIDATION_ERROR, DOCUMENT_LIMIT_EXCEEDED
 */
function parseOperation(
  { method, body, query }: FastifyRequest,
  documents: GraphQLServerDependencies['documents'],
): SentOperation | GraphQLError {
  const parsed = operationSchema.safeParse(method === 'GET' ? fromQuery(query as Record<string, unknown>) : body);
  if (!parsed.success) {
    throw requestProblem(400, parsed.error.issues[0]?.path.join('.') ?? 'body', 'is missing or malformed');
  }
  const { operationName, variables, query: source } = parsed.data;
  assertTextWithinLimits(source);
  try {
    return { document: documents.parse(source), operationName: operationName ?? undefined, variables: variables ?? {} };
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function fromQuery({ variables, ...others }: Record<string, unknown>): unknown {
  if (typeof variables !== 'string') return others;
  try {
    return { ...others, variables: JSON.parse(variables) as unknown };
  } catch {
    throw requestProblem(400, 'variables', 'is not valid JSON');
  }
}

function refuseMutationByGet({ method }: FastifyRequest, { document, operationName }: SentOperation): void {
  if (method !== 'GET' || kindOf(document, operationName) !== 'mutation') return;
  throw serviceError('METHOD_NOT_ALLOWED', { method, path: '/graphql', allowed: 'POST, for a mutation' });
}

/** An idempotency key requires a stored response, and a stream cannot be stored. */
function refuseKeyedMutation({ headers }: FastifyRequest, { document, operationName }: SentOperation): void {
  if (headers['idempotency-key'] === undefined || kindOf(document, operationName) !== 'mutation') return;
  throw requestProblem(400, 'idempotency-key', 'of a mutation requires a response in application/json');
}

const kindOf = (document: DocumentNode, operationName: string | undefined): string | undefined =>
  getOperationAST(document, operationName)?.operation;

const parseFailure = ({ message, locations }: GraphQLError) => ({
  message,
  ...(locations === undefined ? {} : { locations }),
  extensions: { code: 'GRAPHQL_PARSE_FAILED' as const },
});

function expose({ data, errors }: OperationResult, requestId: string): StreamedResult {
  const shown = data === undefined ? {} : { data };
  if (errors === undefined) return shown;
  return { ...shown, errors: errors.map((error) => exposeOperationError(error, requestId)) };
}
