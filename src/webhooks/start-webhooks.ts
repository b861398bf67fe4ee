import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { backoffMs } from '../async/backoff';
import { resolveWithin } from '../async/resolve-within';
import { sleep } from '../async/sleep';
import { describeFailure } from '../errors/describe-failure';
import type { Database } from '../persistence/database';
import type { Sealer } from '../persistence/personal-data';
import { MAX_IN_FLIGHT } from './busy-endpoints';
import { type ClaimedWebhook, claimWebhooks, releaseWebhook } from './claim-deliveries';
import { parkDeliveriesOfDisabled } from './park-deliveries';
import { prepareEvents, type RenderWebhook } from './prepare-events';
import { recordAttempt } from './record-attempt';
import { findSecrets } from './secrets';
import type { AttemptResult, SendWebhook } from './send-webhook';

export interface WebhookWorkerDeps {
  readonly database: Database;
  readonly log: Pick<Logger, 'warn'>;
  readonly sealer: Sealer;
  readonly render: RenderWebhook;
  readonly send: SendWebhook;
  readonly pollMs?: number;
}

export interface Webhooks {
  /** Starts no further attempts. Resolves when the running ones have ended or were released to other workers. */
  stop(): Promise<void>;
}

const POLL_MS = 250;
const MAX_BACKOFF_MS = 30_000;
/** How long running attempts may go on when the process stops. */
const STOP_MS = 3000;
/** The deliveries of disabled endpoints are parked with every so many polls. */
const POLLS_PER_PARKING = 20;

/**
 * Prepares and sends webhooks until stopped. Any number of processes may run. It polls: a notification in the transactions
 * that write events would make their commits take turns.
 */
export function startWebhooks(deps: WebhookWorkerDeps): Webhooks {
  const stopping = new AbortController();
  const interrupt = new AbortController();
  for (const { signal } of [stopping, interrupt]) setMaxListeners(0, signal); // every attempt listens
  const lanes = Promise.all([prepareLane(deps, stopping.signal), sendLane(deps, { stopping, interrupt })]);
  return {
    async stop() {
      stopping.abort();
      await resolveWithin(lanes, STOP_MS);
      interrupt.abort();
      await lanes;
    },
  };
}

/** Runs a pass again and again, at once while it finds work. A failed pass is logged and repeated with growing delays. */
async function repeat(
  { deps, stopping, what }: { readonly deps: WebhookWorkerDeps; readonly stopping: AbortSignal; readonly what: string },
  pass: () => Promise<{ readonly waitFor: readonly Promise<unknown>[]; readonly goOn: boolean }>,
): Promise<void> {
  const { log, pollMs = POLL_MS } = deps;
  let failures = 0;
  while (!stopping.aborted) {
    let next: Awaited<ReturnType<typeof pass>> = { waitFor: [], goOn: false };
    try {
      next = await pass();
      failures = 0;
    } catch (error) {
      failures += 1;
      log.warn({ failures, cause: describeFailure(error) }, `${what} failed`);
    }
    if (next.goOn) continue;
    await Promise.race([
      sleep(backoffMs({ baseMs: pollMs, maxMs: MAX_BACKOFF_MS, failures }), stopping),
      ...next.waitFor,
    ]);
  }
}

const prepareLane = (deps: WebhookWorkerDeps, stopping: AbortSignal): Promise<void> =>
  repeat({ deps, stopping, what: 'preparing webhook events' }, async () => ({
    waitFor: [],
    goOn: (await prepareEvents(deps)) > 0,
  }));

interface Signals {
  readonly stopping: AbortController;
  readonly interrupt: AbortController;
}

async function sendLane(deps: WebhookWorkerDeps, { stopping, interrupt }: Signals): Promise<void> {
  const running = new Set<Promise<void>>();
  let passes = 0;
  await repeat({ deps, stopping: stopping.signal, what: 'claiming webhook deliveries' }, async () => {
    passes += 1;
    if (passes % POLLS_PER_PARKING === 0) await parkDeliveriesOfDisabled(deps);
    const claimed = await claimWebhooks(deps, MAX_IN_FLIGHT - running.size);
    for (const delivery of claimed) {
      const attempt = deliver(deps, delivery, interrupt.signal).finally(() => running.delete(attempt));
      running.add(attempt);
    }
    // The end of an attempt makes room, and lets the next event of its action start.
    return { waitFor: [...running], goOn: false };
  });
  await Promise.all(running);
}

/** One attempt. What remains of a failure is an unreachable database: then the lease ends by itself. */
async function deliver(deps: WebhookWorkerDeps, claimed: ClaimedWebhook, signal: AbortSignal): Promise<void> {
  const { database, log } = deps;
  try {
    const result = await attempt(deps, claimed, signal);
    if (result === undefined) await releaseWebhook(database, claimed);
    else await recordAttempt({ database }, claimed, result);
  } catch (error) {
    const { id: deliveryId, endpointId } = claimed;
    log.warn({ deliveryId, endpointId, cause: describeFailure(error) }, 'a webhook could not be sent or recorded');
  }
}

/** Nothing is sent without a signature. */
const NO_SECRET: AttemptResult = {
  failure: 'NO_SECRET',
  status: undefined,
  retryAfterSeconds: undefined,
  response: undefined,
  durationMs: 0,
};

async function attempt(
  { database, sealer, send }: WebhookWorkerDeps,
  { eventId: id, url, body, customerId, endpointId, kind }: ClaimedWebhook,
  signal: AbortSignal,
): Promise<AttemptResult | undefined> {
  const owner = { customerId, endpointId: kind === 'CUSTOMER' ? endpointId : undefined };
  const secrets = await findSecrets({ database, sealer }, owner);
  if (secrets.length === 0) return NO_SECRET;
  return send({ id, url, body, secrets, timestamp: Math.floor(Date.now() / 1000) }, signal);
}
