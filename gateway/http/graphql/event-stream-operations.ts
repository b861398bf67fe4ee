import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, getOperationAST, GraphQLError } from 'graphql';
import { z } from 'zod';
import { lifetimeOf } from '../../../src/auth/lifetime';
import type { RequestContext } from '../../../src/auth/request-context';
import { serviceError } from '../../../src/errors/service-error';
import type { OperationResult, PreparedOperation } from '../../federation/federated-graph';
import { failureOf, requestProblem } from '../../rest/failure';
import { readmit } from '../admission';
import type { GatewayDependencies } from '../dependencies';
import { contextOf } from '../request-scope';
import type { GraphQLServerDependencies } from './apollo-server';
import { openEventStream, type StreamedResult } from './event-stream';
import { exposeOperationError, graphqlFailure } from './graphql-error';
import type { SentOperation } from './open-operation';
import { sendErrors } from './send-graphql-failure';

const operationSchema = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

export interface EventStreamHandler {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** Completes the streams that are open: nothing else would ever end them. */
  close(): void;
}

type StreamDependencies = GraphQLServerDependencies & Pick<GatewayDependencies, 'authenticator'>;

/**
 * Serves operations as server-sent events, one connection each.
 *
 * @see https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode
 */
export function createEventStreamHandler(deps: StreamDependencies): EventStreamHandler {
  const { documents, open } = deps;
  const streams = new Set<AbortController>();
  return {
    async handle(request, reply) {
      const sent = sentOperation(request, documents);
      if (sent instanceof GraphQLError) return sendErrors(reply, 400, [parseFailure(sent)]);
      refuseMutationByGet(request, sent);
      refuseKeyedMutation(request, sent);
      const prepared = await open(request, sent);
      const ending = new AbortController();
      streams.add(ending);
      reply.raw.once('close', () => ending.abort());
      const stream = openEventStream(reply);
      const context = contextOf(request, lifetimeOf(ending.signal));
      for await (const result of resultsOf(prepared, sent, context)) {
        const refusal = await refusalNow(deps, request);
        await stream.next(refusal ?? expose(result, request.id));
        if (refusal !== undefined) break;
      }
      stream.complete();
      streams.delete(ending);
      return undefined;
    },
    close() {
      for (const ending of streams) ending.abort();
    },
  };
}

/** What is said instead of an event once the credential of a stream has ended, which then ends too. */
async function refusalNow(deps: StreamDependencies, request: FastifyRequest): Promise<StreamedResult | undefined> {
  try {
    await readmit(deps, request);
    return undefined;
  } catch (error) {
    return { errors: [graphqlFailure(failureOf(error), request.id)] };
  }
}

/** The results of an operation until it ends or its context is aborted, whatever the source of the events does then. */
async function* resultsOf(
  prepared: PreparedOperation,
  { variables }: SentOperation,
  context: RequestContext,
): AsyncGenerator<OperationResult> {
  const results = prepared.subscribe(variables, context);
  const ended = new Promise<undefined>((resolve) => {
    context.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([results.next(), ended]);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a generator that waits for its next event hears of it only then.
    void results.return(undefined).catch(() => undefined);
  }
}

function sentOperation(
  { method, body, query }: FastifyRequest,
  documents: GraphQLServerDependencies['documents'],
): SentOperation | GraphQLError {
  const parsed = operationSchema.safeParse(method === 'GET' ? fromQuery(query as Record<string, unknown>) : body);
  if (!parsed.success) {
    throw requestProblem(400, parsed.error.issues[0]?.path.join('.') ?? 'body', 'is missing or malformed');
  }
  const { operationName, variables, query: source } = parsed.data;
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

/** A key promises that the same answer comes again: a stream is none that could be kept. */
function refuseKeyedMutation({ headers }: FastifyRequest, { document, operationName }: SentOperation): void {
  if (headers['idempotency-key'] === undefined || kindOf(document, operationName) !== 'mutation') return;
  throw requestProblem(400, 'idempotency-key', 'of a mutation needs an answer in application/json');
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
