import type { FastifyInstance } from 'fastify';
import { createPace } from '../../src/async/pace';
import { callerOf } from '../edge/request-scope';

/** Refusals of a caller that are sent each second. */
const PER_SECOND = 50;
/** A caller gets the refusals of this time at once. */
const AT_ONCE_MS = 1000;
const MAX_DELAY_MS = 1000;
/** An attacker with more addresses than this is not delayed. */
const MAX_CALLERS = 50_000;

/**
 * Delays the responses to a caller that goes on after 50 refusals for its rate limit, by a second at most. A client that repeats its
 * requests as fast as they are refused would occupy the processor with refusals.
 */
export function paceRefusals(app: FastifyInstance): void {
  const pace = createPace({ perSecond: PER_SECOND, maxDelayMs: AT_ONCE_MS + MAX_DELAY_MS, maxCustomers: MAX_CALLERS });
  app.addHook('onSend', (request, reply, ...[payload, done]) => {
    const delayMs = reply.statusCode === 429 ? pace.take(callerOf(request), 1) - AT_ONCE_MS : 0;
    if (delayMs <= 0) done(null, payload);
    else setTimeout(done, delayMs, null, payload);
  });
}
