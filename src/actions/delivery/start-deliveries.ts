import { setMaxListeners } from 'node:events';
import { backoffMs } from '../../async/backoff';
import { sleep } from '../../async/sleep';
import { describeFailure } from '../../errors/describe-failure';
import { claimDueDeliveries } from './claim-deliveries';
import type { DeliveryDeps } from './delivery-deps';
import { pollDelivery } from './poll-delivery';

export interface Deliveries {
  /** Resolves when this process has released all its deliveries; other replicas may go on with them at once. */
  stop(): Promise<void>;
}

/** Deliveries of one provider that one process polls at the same time. */
const MAX_CONCURRENT_POLLS = 8;
const MAX_BACKOFF_MS = 30_000;
/**
 * Claims of a lane per poll interval. A transfer goes through several polls in a row, and becomes due at any time between
 * two claims: with one claim per interval each poll would take up to two intervals.
 */
const CLAIMS_PER_INTERVAL = 4;

/**
 * Polls deliveries until stopped. Each provider has a lane of its own, so that a slow provider delays only its own
 * transfers. Any number of processes may run.
 */
export function startDeliveries(deps: DeliveryDeps): Deliveries {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every lane and every poll listens
  const lanes = [...deps.sources.keys()].map((provider) => runLane(deps, provider, stopping.signal));
  lanes.push(warnOfOrphans(deps));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

/** Warns the operator of deliveries whose provider is no longer registered: they wait until it is. */
async function warnOfOrphans({ database, sources, log }: DeliveryDeps): Promise<void> {
  try {
    const open = await database.delivery.groupBy({
      by: ['provider'],
      where: { phase: 'ACTIVE', provider: { notIn: [...sources.keys()] } },
      _count: true,
    });
    for (const { provider, _count: deliveries } of open)
      log.warn({ provider, deliveries }, 'deliveries of a provider that is not registered are not polled');
  } catch (error) {
    log.warn({ cause: describeFailure(error) }, 'the deliveries of unregistered providers could not be counted');
  }
}

async function runLane(deps: DeliveryDeps, provider: string, stopping: AbortSignal): Promise<void> {
  const { pollMs, log } = deps;
  const running = new Set<Promise<void>>();
  let failures = 0;
  while (!stopping.aborted) {
    try {
      const claimed = await claimDueDeliveries(deps, provider, MAX_CONCURRENT_POLLS - running.size);
      for (const delivery of claimed) launch(running, pollOrLog(deps, delivery, stopping));
      failures = 0;
    } catch (error) {
      failures += 1;
      log.warn({ provider, failures, cause: describeFailure(error) }, 'due deliveries could not be claimed');
    }
    const pauseMs = backoffMs({ baseMs: pollMs / CLAIMS_PER_INTERVAL, maxMs: MAX_BACKOFF_MS, failures });
    const isFull = running.size === MAX_CONCURRENT_POLLS && failures === 0;
    // When all slots are taken, the next free one is filled without a pause.
    await Promise.race([sleep(pauseMs, stopping), ...(isFull ? running : [])]);
  }
  await Promise.all(running);
}

function launch(running: Set<Promise<void>>, poll: Promise<void>): void {
  const tracked = poll.finally(() => running.delete(tracked));
  running.add(tracked);
}

/** A poll records its own failures. What remains is an unreachable database: then the lease ends by itself. */
async function pollOrLog(...[deps, delivery, stopping]: Parameters<typeof pollDelivery>): Promise<void> {
  try {
    await pollDelivery(deps, delivery, stopping);
  } catch (error) {
    const { actionId, provider } = delivery;
    deps.log.warn({ actionId, provider, cause: describeFailure(error) }, 'the result of a poll could not be stored');
  }
}
