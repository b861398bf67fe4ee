import { setMaxListeners } from 'node:events';
import { describeFailure } from '../../errors/describe-failure';
import type { DeliveryDeps } from './delivery-deps';
import { claimDueDeliveries } from './due-deliveries';
import { lookAtDelivery } from './poll-delivery';

export interface Deliveries {
  /** Resolves when this process looks at no delivery any more; other replicas may go on with them at once. */
  stop(): Promise<void>;
}

/** Deliveries of one provider that one process looks at together. */
const TOGETHER = 8;
const LONGEST_BACK_OFF_MS = 30_000;

/**
 * Follows what providers carry to other chains, until stopped: every provider in a lane of its own, so that a slow one
 * holds up nobody else. Any number of processes may.
 */
export function startDeliveries(deps: DeliveryDeps): Deliveries {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every lane and every look waits for it
  const lanes = [...deps.sources.keys()].map((provider) => runLane(deps, provider, stopping.signal));
  lanes.push(tellOrphans(deps));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

/** Deliveries of a provider that is registered no more wait for its return: somebody should know. */
async function tellOrphans({ database, sources, log }: DeliveryDeps): Promise<void> {
  try {
    const open = await database.delivery.groupBy({
      by: ['provider'],
      where: { nextLookAt: { not: null }, provider: { notIn: [...sources.keys()] } },
      _count: true,
    });
    for (const { provider, _count: deliveries } of open)
      log.warn({ provider, deliveries }, 'nobody follows these deliveries');
  } catch (error) {
    log.warn({ cause: describeFailure(error) }, 'deliveries that nobody follows could not be counted');
  }
}

async function runLane(deps: DeliveryDeps, provider: string, stopping: AbortSignal): Promise<void> {
  const { pollMs, log } = deps;
  const running = new Set<Promise<void>>();
  let failures = 0;
  while (!stopping.aborted) {
    try {
      const claimed = await claimDueDeliveries(deps, provider, TOGETHER - running.size);
      for (const delivery of claimed) launch(running, lookOrLog(deps, delivery, stopping));
      failures = 0;
    } catch (error) {
      failures += 1;
      log.warn({ provider, failures, cause: describeFailure(error) }, 'due deliveries could not be claimed');
    }
    const pauseMs = Math.min(LONGEST_BACK_OFF_MS, pollMs * 2 ** Math.min(failures, 10));
    // With all places taken, the next one that is free is taken at once.
    await Promise.race([sleep(pauseMs, stopping), ...(running.size === TOGETHER && failures === 0 ? running : [])]);
  }
  await Promise.all(running);
}

function launch(running: Set<Promise<void>>, look: Promise<void>): void {
  const tracked = look.finally(() => running.delete(tracked));
  running.add(tracked);
}

/** A look notes its own failures; what remains is a database that cannot be reached: the lease ends by itself. */
async function lookOrLog(...[deps, delivery, stopping]: Parameters<typeof lookAtDelivery>): Promise<void> {
  try {
    await lookAtDelivery(deps, delivery, stopping);
  } catch (error) {
    const { actionId, provider } = delivery;
    deps.log.warn({ actionId, provider, cause: describeFailure(error) }, 'a look at a delivery could not be noted');
  }
}

/** Resolves after the time, or as soon as the process stops. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}
