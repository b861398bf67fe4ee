import type { FastifyInstance } from 'fastify';
import { serviceError } from '../../src/errors/service-error';

/**
 * `draining`: readiness is 503 and each response ends its connection, while everything is served as before.
 * `closing`: the port is closed. Requests on remaining connections are served, but no new event stream.
 */
export type ServerPhase = 'serving' | 'draining' | 'closing';

/** Moves clients to other instances while the server drains and closes: no connection is kept after a response. */
export function endConnectionsWhileStopping(app: FastifyInstance, phase: () => ServerPhase): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (phase() !== 'serving') reply.header('connection', 'close');
    const isStream = request.headers.accept?.includes('text/event-stream') === true;
    done(phase() === 'closing' && isStream ? serviceError('SERVICE_UNAVAILABLE', { reason: CLOSING }) : undefined);
  });
  app.addHook('onSend', (_request, reply, ...[payload, done]) => {
    if (phase() !== 'serving') reply.header('connection', 'close');
    done(null, payload);
  });
}

const CLOSING = 'this instance is shutting down. Retry on another one';
