import { AsyncResource } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { createFairQueue } from '../../src/async/fair-queue';
import { clientNetwork } from '../../src/auth/rate-limit/client-address';
import { overloadError } from '../edge/overload/overload-error';

/** Time for which requests may begin in one iteration of the event loop. What they start takes several times as long. */
const SLICE_MS = 4;
/** Waiting requests of one network above which further ones are refused in their turn. */
const MAX_WAITING = 1000;
/** Waiting requests of one network above which the connections of further ones are ended: each occupies memory. */
const MAX_CONNECTIONS = 5000;

interface WaitingRequest {
  readonly since: number;
  /** True once the client has left: nothing would end the work of its request. */
  readonly isLeft: () => boolean;
  readonly begin: () => void;
  readonly refuse: (waitedMs: number) => void;
}

/**
 * Begins requests for a limited time in each iteration of the event loop, and then those of each network in turns. Without it, hundreds
 * of requests that arrive together would each run their first part before any other request continues. Delays no request while few
 * arrive. What admitted requests compute later is shared between callers by `CallerTurns`.
 *
 * Refuses with SERVICE_UNAVAILABLE what waits longer than `maxWaitMs`, and what is above `maxWaiting` requests of a network. A refusal
 * waits for its turn as well: a client that repeats what is refused at once would otherwise occupy the event loop with refusals.
 */
export function beginInTurns(
  app: FastifyInstance,
  maxWaitMs: number,
  { maxWaiting = MAX_WAITING, maxConnections = MAX_CONNECTIONS } = {},
): void {
  const waiting = createFairQueue<WaitingRequest>();
  let isTurnPlanned = false;
  let usedMs = 0;
  const run = (begin: () => void): void => {
    if (!isTurnPlanned) setImmediate(nextTurn);
    isTurnPlanned = true;
    const startedAt = performance.now();
    begin();
    usedMs += performance.now() - startedAt;
  };
  const nextTurn = (): void => {
    isTurnPlanned = false;
    usedMs = 0;
    while (usedMs < SLICE_MS) {
      const next = waiting.take();
      if (next === undefined) return;
      const waitedMs = performance.now() - next.since;
      if (next.isLeft()) continue;
      run(waitedMs > maxWaitMs ? () => next.refuse(waitedMs) : next.begin);
    }
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (waiting.size === 0 && usedMs < SLICE_MS) {
      run(done);
      return;
    }
    const network = clientNetwork(request.ip);
    const refuse = (waitedMs: number): void => done(overloadError('requests of this network', waitedMs));
    const ahead = waiting.sizeOf(network);
    if (ahead >= maxConnections) {
      request.raw.destroy();
      return;
    }
    waiting.add(network, {
      since: performance.now(),
      isLeft: () => reply.raw.destroyed,
      // In the trace of this request: another one ends the turn before.
      begin: AsyncResource.bind(ahead < maxWaiting ? () => done() : () => refuse(0)),
      refuse,
    });
  });
}
