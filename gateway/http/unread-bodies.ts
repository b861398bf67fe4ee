import type { FastifyInstance } from 'fastify';
import { createPace } from '../../src/async/pace';
import { callerOf } from '../edge/request-scope';
import { readAtPace } from './read-at-pace';

const MEGABYTE = 1024 * 1024;
/** Well below the time for a body, so that other requests of the caller are not ended for the wait. */
const MAX_DELAY_MS = 2000;

/**
 * Discards the bodies of requests that were refused before their body was read, each caller's at a pace: Node would read them
 * as fast as they are sent, and a caller above its rate limit would occupy the processor with them. The next request on the
 * connection waits.
 */
export function discardUnreadBodies(app: FastifyInstance, megabytesPerSecond = 10): void {
  const pace = createPace({ perSecond: megabytesPerSecond * MEGABYTE, maxDelayMs: MAX_DELAY_MS });
  app.addHook('onSend', (request, _reply, ...[payload, done]) => {
    const { raw, headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
    if (hasBody && !raw.complete && !raw.readableDidRead) {
      const caller = callerOf(request);
      raw.on('error', () => undefined); // the client has left
      readAtPace(
        raw,
        (bytes) => pace.take(caller, bytes),
        () => undefined,
      );
    }
    done(null, payload);
  });
}
