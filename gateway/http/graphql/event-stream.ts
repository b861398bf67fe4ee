import type { FastifyReply } from 'fastify';
import type { OperationResult } from '../../federation/federated-graph';
import { rateLimitHeaders } from '../rate-limit-headers';
import type { CostExtension } from './cost-extension';
import type { GraphQLFailure } from './graphql-error';

const KEEP_ALIVE_MS = 12_000;

/** The payload of one event. */
export interface StreamedResult {
  readonly data?: OperationResult['data'];
  readonly errors?: readonly GraphQLFailure[];
  /** In the first event only. */
  readonly extensions?: CostExtension['extensions'];
}

/** An open response of server-sent events. */
export interface EventStream {
  /** Resolves when the event was written; waits while the caller reads slowly. */
  next(result: StreamedResult): Promise<void>;
  complete(): void;
}

/** Takes over the response and begins a stream: `next` events, then one `complete`. */
export function openEventStream(reply: FastifyReply): EventStream {
  const { raw, request } = reply;
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    ...Object.fromEntries(rateLimitHeaders(request.scope.windows ?? [])),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const keepAlive = setInterval(() => raw.write(':\n\n'), KEEP_ALIVE_MS);
  raw.once('close', () => clearInterval(keepAlive));
  return {
    async next(result) {
      if (raw.destroyed || raw.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)) return;
      await drained(raw);
    },
    complete() {
      if (!raw.destroyed) raw.end('event: complete\ndata:\n\n');
    },
  };
}

const drained = (raw: FastifyReply['raw']): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      raw.off('drain', settle).off('close', settle);
      resolve();
    };
    raw.on('drain', settle).on('close', settle);
  });
