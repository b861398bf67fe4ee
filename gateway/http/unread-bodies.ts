import type { FastifyInstance } from 'fastify';
import { callerOf } from '../edge/request-scope';
import { hasBody } from './body-time';
import { createBodyPace, readAtPace } from './read-at-pace';

/**
 * Discards the bodies of requests that were refused before their body was read, each caller's at a pace: Node would read them
 * as fast as they are sent, and a caller above its rate limit would occupy the processor with them. The next request on the
 * connection waits.
 */
export function discardUnreadBodies(app: FastifyInstance, pace = createBodyPace()): void {
  app.addHook('onSend', (request, _reply, ...[payload, done]) => {
    const { raw } = request;
    if (hasBody(raw) && !raw.complete && !raw.readableDidRead) {
      const caller = callerOf(request);
      raw.on('error', () => undefined); // the client has left
      readAtPace(raw, (bytes) => pace(caller, bytes));
    }
    done(null, payload);
  });
}
