import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import pino, { type Logger } from 'pino';
import { z } from 'zod';
import { createRequestContext, type RequestContext } from '../../../src/auth/request-context';
import { type ServiceError, serviceError } from '../../../src/errors/service-error';
import { validationError } from '../../../src/errors/validation';
import type { Tracer } from '../../../src/telemetry/tracing/tracer';
import { trackConnections } from '../../../src/http/server-connections';
import { abortable } from '../abortable';
import { formatEvent } from './server-sent-events';
import { formatThrown } from '../formatted-error';
import { type InternalRequest, refusalReason, verifyInternalRequest, TRACEPARENT } from './internal-request';
import { createRefusalLog } from './refusal-log';
import { createSubgraphExecutor } from './subgraph-executor';
import type { SubgraphResponse } from './subgraph-response';

export interface SubgraphServerOptions {
  readonly schema: GraphQLSchema;
  /** Secret of the gateway. Requests with another signature are refused. */
  readonly internalSecret: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log?: Logger;
  readonly tracer?: Tracer | undefined;
  /** Mounts further routes, which need no signature; `isOpen` is false once the server drains. */
  readonly mount?: (app: FastifyInstance, isOpen: () => boolean) => void;
  /** Time for which a closing server still serves requests. Default: 0. */
  readonly drainMs?: number;
  /** Time after which a closing server destroys the remaining connections. Default: 20 s. */
  readonly limitMs?: number;
}

export interface SubgraphServer {
  /** URL for the operations of the gateway. */
  readonly url: string;
  /** Drains, closes the port, completes running requests, and ends streams. */
  close(): Promise<void>;
}

/** Above the largest body of a REST route. */
const MAX_BODY_BYTES = 48 * 1024 * 1024;

const requestSchema = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

/** Serves a subgraph to the gateway alone: one route, POST /graphql, for signed requests. */
export async function serveSubgraph(options: SubgraphServerOptions): Promise<SubgraphServer> {
  const { schema, internalSecret, host, port, log = pino(), tracer, mount, drainMs = 0, limitMs = 20_000 } = options;
  const app = Fastify({ bodyLimit: MAX_BODY_BYTES, return503OnClosing: false });
  const execute = createSubgraphExecutor(schema, log);
  const logRefusal = createRefusalLog(log);
  const connections = trackConnections(app.server);
  const streams = new Set<AbortController>();
  let isOpen = true;
  // The signature covers the raw bytes.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const requestIds = logErrors(app, log);
  app.addHook('onSend', (_request, reply, ...[payload, done]) => {
    if (!isOpen) reply.header('connection', 'close');
    done(null, payload);
  });
  mount?.(app, () => isOpen);
  app.post('/graphql', async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const sender = verifyInternalRequest({ internalSecret }, request.headers, body);
    if (sender === undefined) {
      const { forLog, forSender } = refusalReason({ internalSecret }, request.headers, body);
      logRefusal(forLog, request.ip);
      return refuse(reply, serviceError('AUTHENTICATION_REQUIRED', { reason: forSender }));
    }
    requestIds.set(request, sender.requestId);
    const operation = requestSchema.safeParse(parseJson(body));
    if (!operation.success) return refuse(reply, requestProblem(operation.error));
    const { query, variables } = operation.data;
    const { context, ending } = contextOf(reply, sender);
    const work = () => execute({ query, variables: variables ?? {}, context });
    const result = await traced(tracer, request, work);
    if (!(Symbol.asyncIterator in result)) return reply.type(JSON_TYPE).send(JSON.stringify(result));
    if (!acceptsEvents(request)) return refuse(reply, validationError([NO_EVENTS]));
    if (!reply.raw.destroyed) streams.add(ending);
    reply.raw.once('close', () => streams.delete(ending));
    const reportBug = (err: unknown): void => {
      log.error({ err, requestId: sender.requestId }, 'a stream of a subgraph failed');
    };
    const events = eventsOf(abortable(result, context.signal), reportBug);
    return reply.type(EVENTS_TYPE).send(Readable.from(events));
  });
  const address = await app.listen({ host, port });
  return {
    url: `${address}/graphql`,
    async close() {
      isOpen = false;
      await wait(drainMs);
      streams.forEach((ending) => ending.abort());
      const closed = app.close();
      const endChecks = connections.endWhenIdle(limitMs);
      await closed;
      endChecks();
    },
  };
}

/** Logs failed requests. Returns the map for the ids of the gateway's requests, once their signature was verified. */
function logErrors(app: FastifyInstance, log: Logger): WeakMap<FastifyRequest, string> {
  const requestIds = new WeakMap<FastifyRequest, string>();
  app.setErrorHandler((error, request, reply) => {
    log.error({ err: error, requestId: requestIds.get(request) }, 'a subgraph request failed');
    return refuse(reply, serviceError('INTERNAL_SERVER_ERROR'));
  });
  return requestIds;
}

/** Executes in the trace of the gateway, whose signature was verified. */
function traced<Result>(tracer: Tracer | undefined, { headers }: FastifyRequest, work: () => Result): Result {
  const parent = headers[TRACEPARENT];
  if (tracer === undefined || typeof parent !== 'string') return work();
  return tracer.run({ name: 'subgraph request', kind: 'server' }, work, parent);
}

const JSON_TYPE = 'application/json; charset=utf-8';
const EVENTS_TYPE = 'text/event-stream; charset=utf-8';
const NO_EVENTS = { path: 'accept', message: 'must be text/event-stream for a subscription' };

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const acceptsEvents = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/event-stream') === true;

const requestProblem = ({ issues }: z.ZodError): ServiceError =>
  validationError(issues.map(({ path, message }) => ({ path: path.join('.'), message })));

/** The error envelope. */
function refuse(reply: FastifyReply, { status, code, message, details }: ServiceError): FastifyReply {
  const error = { code, message, ...(details === undefined ? {} : { details }) };
  return reply.status(status).type(JSON_TYPE).send(JSON.stringify({ error }));
}

/** The context of the gateway's request. It ends when the gateway disconnects, or with `ending`. */
function contextOf(
  { raw }: FastifyReply,
  { requestId, principal }: InternalRequest,
): { readonly context: RequestContext; readonly ending: AbortController } {
  const ending = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) ending.abort();
  });
  return { context: createRequestContext({ requestId, principal, signal: ending.signal }), ending };
}

/** Formats responses as events. A stream that fails ends with an error event. */
async function* eventsOf(
  responses: AsyncIterable<SubgraphResponse>,
  reportBug: (error: unknown) => void,
): AsyncGenerator<string> {
  yield ':\n\n'; // headers are sent with the first bytes
  try {
    for await (const response of responses) yield nextEvent(response);
  } catch (error) {
    yield nextEvent({ errors: [formatThrown(error, reportBug)] });
  }
  yield formatEvent({ event: 'complete', data: '' });
}

const nextEvent = (response: SubgraphResponse): string =>
  formatEvent({ event: 'next', data: JSON.stringify(response) });
