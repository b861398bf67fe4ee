import { AsyncResource } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { createFairQueue } from '../../src/async/fair-queue';
import { clientNetwork } from '../../src/auth/rate-limit/client-address';

/** Time for which requests may begin in one iteration of the event loop. What they start takes several times as long. */
const SLICE_MS = 1;

/**
 * Begins requests for a limited time in each iteration of the event loop, and then those of each network in turns. Without it, hundreds
 * of requests that arrive together would each run their first part before any other request continues. Delays no request while few
 * arrive. What admitted requests compute later is shared between callers by `CallerTurns`.
 */
export function beginInTurns(app: FastifyInstance): void {
  const waiting = createFairQueue<() => void>();
  let isTurnPlanned = false;
  let usedMs = 0;
  const begin = (start: () => void): void => {
    if (!isTurnPlanned) setImmediate(nextTurn);
    isTurnPlanned = true;
    const startedAt = performance.now();
    start();
    usedMs += performance.now() - startedAt;
  };
  const nextTurn = (): void => {
    isTurnPlanned = false;
    usedMs = 0;
    while (usedMs < SLICE_MS) {
      const start = waiting.take();
      if (start === undefined) return;
      begin(start);
    }
  };
  app.addHook('onRequest', (request, _reply, done) => {
    if (waiting.size === 0 && usedMs < SLICE_MS) begin(done);
    // In the trace of this request: another one ends the turn before.
    else waiting.add(clientNetwork(request.ip), AsyncResource.bind(done));
  });
}
