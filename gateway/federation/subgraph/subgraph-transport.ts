import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import type { Tracer } from '../../../src/telemetry/tracing/tracer';
import { withinDeadline } from '../deadline';
import { parseEvents } from './server-sent-events';
import {
  createHttpExchange,
  type HttpExchange,
  type HttpPost,
  parseResponseText,
  readText,
  RefusedRequestError,
} from './http-exchange';
import { compileInProcess } from './in-process-operation';
import { signInternalRequest, TRACEPARENT } from './internal-request';
import { isPromise } from '../maybe-promise';
import { parseSubgraphResponse, type SubgraphResponse } from './subgraph-response';

/** A single response, or a stream of responses for a subscription that started. */
export type SubgraphResult = SubgraphResponse | AsyncIterable<SubgraphResponse>;

/** @throws SUBREQUEST_TIMEOUT, or another error when the subgraph cannot be reached. */
export type SubgraphCall = (
  variables: Record<string, unknown>,
  context: RequestContext,
) => SubgraphResult | Promise<SubgraphResult>;

/** Sends operations to a subgraph. */
export interface SubgraphTransport {
  /** Prepares an operation for repeated use. */
  compile(operation: string, document: DocumentNode, kind: 'query' | 'mutation' | 'subscription'): SubgraphCall;
  /** Whether the subgraph accepts the requests of this gateway; absent for a subgraph in this process. */
  state?(): Promise<SubgraphState>;
  close?(): Promise<void>;
}

/** `refused`: it responds, but does not accept the signature of this gateway. */
export type SubgraphState = 'ok' | 'refused' | 'down';

/**
 * Transport to a subgraph in this process. Its operations are compiled to functions that get the context of the request, and
 * are synchronous when the resolvers are.
 */
export function inProcessTransport(schema: GraphQLSchema, { timeoutMs }: { timeoutMs: number }): SubgraphTransport {
  return {
    compile(_operation, document) {
      const execute = compileInProcess(schema, document);
      return (variables, context) => {
        const result = execute(variables, context);
        return isPromise(result) ? withinDeadline(result, { timeoutMs, lifetime: context.lifetime }) : result;
      };
    },
  };
}

export interface HttpTransportOptions {
  readonly timeoutMs: number;
  readonly internalSecret: string;
  /** Continues the present trace in the process of the subgraph. */
  readonly tracer?: Pick<Tracer, 'current'> | undefined;
}

/** Transport to a subgraph in another process, over HTTP with signed headers that contain the principal. */
export function httpTransport(
  url: string,
  { timeoutMs, internalSecret, tracer }: HttpTransportOptions,
): SubgraphTransport {
  const exchange = createHttpExchange(url, { timeoutMs });
  return {
    compile(operation, _document, kind) {
      const start = `{"query":${JSON.stringify(operation)},"variables":`;
      const isSubscription = kind === 'subscription';
      return (variables, context) => {
        const body = `${start}${JSON.stringify(variables)}}`;
        const headers = {
          'content-type': 'application/json',
          accept: isSubscription ? 'text/event-stream' : 'application/graphql-response+json, application/json',
          ...signInternalRequest({ internalSecret }, context, body),
          ...traceHeaders(tracer),
        };
        const post = { body, headers, signal: context.signal };
        return isSubscription ? subscribe(exchange, post) : exchange.postJson(post).then(parseSubgraphResponse);
      };
    },
    async state() {
      const headers = signInternalRequest({ internalSecret }, { requestId: 'health', principal: undefined }, PROBE);
      const post = { body: PROBE, headers, signal: AbortSignal.timeout(STATE_TIMEOUT_MS) };
      return exchange
        .postJson(post)
        .then(parseSubgraphResponse)
        .then(
          () => 'ok',
          (error: unknown) => (error instanceof RefusedRequestError ? 'refused' : 'down'),
        );
    },
    close: () => exchange.close(),
  };
}

function traceHeaders(tracer: HttpTransportOptions['tracer']): Readonly<Record<string, string>> {
  const span = tracer?.current();
  return span === undefined ? {} : { [TRACEPARENT]: span.traceparent };
}

/** A request without any resolver. */
const PROBE = '{"query":"{__typename}"}';
const STATE_TIMEOUT_MS = 2000;

async function subscribe(exchange: HttpExchange, post: HttpPost): Promise<SubgraphResult> {
  const { isStream, chunks } = await exchange.postForStream(post);
  return isStream ? responsesOf(chunks) : parseSubgraphResponse(parseResponseText(await readText(chunks)));
}

async function* responsesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<SubgraphResponse> {
  for await (const { event, data } of parseEvents(chunks)) {
    if (event === 'complete') return;
    if (event === 'next') yield parseSubgraphResponse(parseResponseText(data));
  }
}
