import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { withinDeadline } from '../deadline';
import { parseEvents } from './server-sent-events';
import { createHttpExchange, type HttpExchange, type HttpPost, parsedAnswer, readText } from './http-exchange';
import { compileInProcess } from './in-process-operation';
import { signInternalRequest } from './internal-request';
import { isPromise } from '../maybe-promise';
import { parseSubgraphResponse, type SubgraphResponse } from './subgraph-response';

/** A subscription that started is a stream of answers; one that did not is a single answer with errors. */
export type SubgraphAnswer = SubgraphResponse | AsyncIterable<SubgraphResponse>;

/** @throws SUBREQUEST_TIMEOUT, or anything else when the subgraph could not be asked. */
export type SubgraphCall = (
  variables: Record<string, unknown>,
  context: RequestContext,
) => SubgraphAnswer | Promise<SubgraphAnswer>;

/** The way to a subgraph. */
export interface SubgraphTransport {
  /** Prepares an operation that will be sent many times. */
  compile(operation: string, document: DocumentNode, kind: 'query' | 'mutation' | 'subscription'): SubgraphCall;
  close?(): Promise<void>;
}

/**
 * A subgraph in this process: its operations are compiled to functions, and get the very context of the request.
 * What it answers without waiting is there without waiting.
 */
export function inProcessTransport(schema: GraphQLSchema, { timeoutMs }: { timeoutMs: number }): SubgraphTransport {
  return {
    compile(_operation, document) {
      const ask = compileInProcess(schema, document);
      return (variables, context) => {
        const answer = ask(variables, context);
        return isPromise(answer) ? withinDeadline(answer, { timeoutMs, lifetime: context.lifetime }) : answer;
      };
    },
  };
}

export interface HttpTransportOptions {
  readonly timeoutMs: number;
  readonly internalSecret: string;
}

/** A subgraph of another process, reached over HTTP with signed headers that say for whom the gateway asks. */
export function httpTransport(url: string, { timeoutMs, internalSecret }: HttpTransportOptions): SubgraphTransport {
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
        };
        const post = { body, headers, signal: context.signal };
        return isSubscription ? subscribe(exchange, post) : exchange.postJson(post).then(parseSubgraphResponse);
      };
    },
    close: () => exchange.close(),
  };
}

async function subscribe(exchange: HttpExchange, post: HttpPost): Promise<SubgraphAnswer> {
  const { isStream, chunks } = await exchange.postForStream(post);
  return isStream ? answersOf(chunks) : parseSubgraphResponse(parsedAnswer(await readText(chunks)));
}

async function* answersOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<SubgraphResponse> {
  for await (const { event, data } of parseEvents(chunks)) {
    if (event === 'complete') return;
    if (event === 'next') yield parseSubgraphResponse(parsedAnswer(data));
  }
}
