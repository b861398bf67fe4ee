import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import { describeFailure } from '../../errors/describe-failure';
import { invariant } from '../../errors/invariant-error';
import type { Database } from '../../persistence/database';
import type { DeliverySource } from '../../venues/delivery-source';
import { isDueToExpire } from '../state/expire-actions';
import { applyOutcome, completionJson, resumeTransfer } from './apply-outcome';
import { readBridgeTransfer } from './read-bridge-transfer';
import { type ClaimedDelivery, finishPoll, lockClaim, type PollResult, postponePoll } from './claim-deliveries';
import { decideDeliveryOutcome, observedDeposit } from './decide-delivery-outcome';
import type { DeliveryDeps } from './delivery-deps';
import { nextPollAfterFailureMs, nextPollMs, nextPollForReceiverMs, WATCH_INTERVAL_MS } from './next-poll';
import type { DeliveryOutcome, ObservedDeposit } from './outcome';
import { phaseAfter, type PollTask, pollTaskOf } from './poll-task';
import { readTransferAction, type TransferAction } from './transfer-action';

/** Time limit of one poll: shorter than the lease. */
const POLL_TIMEOUT_MS = 20_000;

/** What a poll found out. */
interface Finding {
  readonly outcome: DeliveryOutcome;
  readonly deposit: ObservedDeposit | undefined;
  readonly checkpoint: unknown;
}

interface Poll {
  readonly delivery: ClaimedDelivery;
  readonly transfer: TransferAction;
  readonly signal: AbortSignal;
}

/**
 * Polls a claimed delivery once and applies the outcome in one transaction, or not at all when the claim was lost
 * meanwhile. A failed poll is logged and repeated later; it changes nothing else.
 *
 * `stopping` aborts the poll and releases the delivery at once.
 */
export async function pollDelivery(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  stopping: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { database, pollMs, log } = deps;
  try {
    await poll(deps, delivery, anySignal(stopping, AbortSignal.timeout(POLL_TIMEOUT_MS)));
  } catch (error) {
    if (stopping.aborted) return release(database, delivery);
    const { actionId, provider, pollCount } = delivery;
    const cause = describeFailure(error);
    log.warn({ actionId, provider, pollCount, cause }, 'a poll of a delivery failed');
    const nextInMs = nextPollAfterFailureMs(pollMs, pollCount);
    await postponePoll(database, delivery, { nextInMs, failure: `${cause.name}: ${cause.message}`.slice(0, 300) });
  }
}

const release = (database: Database, delivery: ClaimedDelivery): Promise<void> =>
  postponePoll(database, delivery, { nextInMs: 0, failure: undefined });

async function poll(deps: DeliveryDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const transfer = await readTransferAction(deps.database, delivery.actionId);
  const task = pollTaskOf(transfer, delivery);
  // A provider that ignores its signal must not occupy its slot for longer.
  const finding = await rejectOnAbort(carryOut(deps, { delivery, transfer, signal }, task), signal);
  await deps.database.$transaction(async (tx) => {
    if (!(await lockClaim(tx, delivery))) return;
    const applied = finding !== undefined && (await applyOutcome(tx, { transfer, ...finding }));
    const changed = applied || (task === 'resume' && (await resumeTransfer(tx, transfer)));
    if (finding !== undefined && !applied) logIgnoredOutcome(deps, delivery, finding.outcome);
    const { checkpoint } = finding ?? {};
    const completion = pendingCompletion(finding);
    const leftToReceiver = finding?.outcome.kind === 'wait' && finding.outcome.leftToReceiver === true;
    const next = nextPoll(deps, { delivery, task, changed, leftToReceiver });
    await finishPoll(tx, delivery, { ...next, checkpoint, completion });
  });
}

const pendingCompletion = (finding: Finding | undefined): object | null =>
  finding?.outcome.kind === 'wait' ? completionJson(finding.outcome.completion) : null;

/** Tasks that request the progress from the provider. */
const REQUESTING_TASKS: ReadonlySet<PollTask> = new Set(['follow', 'watch', 'returnPayment']);

/** Resolves to `undefined` when the task requires no request to the provider. */
async function carryOut(deps: DeliveryDeps, current: Poll, task: PollTask): Promise<Finding | undefined> {
  const mayExpire = task === 'follow' || task === 'awaitOrigin';
  const cancellation = mayExpire ? await cancelIfDue(deps, current) : undefined;
  if (cancellation !== undefined) return cancellation;
  return REQUESTING_TASKS.has(task) ? requestProgress(deps, current) : undefined;
}

function logIgnoredOutcome(
  { log }: DeliveryDeps,
  { actionId, provider }: ClaimedDelivery,
  { kind }: DeliveryOutcome,
): void {
  if (kind !== 'deliveredOnChain' && kind !== 'reportedDelivered' && kind !== 'refunded') return;
  log.warn(
    { actionId, provider, kind },
    'the outcome of a transfer was ignored: the action has ended, or its transaction belongs to another action',
  );
}

function nextPoll(
  { pollMs }: DeliveryDeps,
  {
    delivery: { pollCount },
    task,
    changed,
    leftToReceiver,
  }: {
    readonly delivery: ClaimedDelivery;
    readonly task: PollTask;
    readonly changed: boolean;
    readonly leftToReceiver: boolean;
  },
): Pick<PollResult, 'phase' | 'nextInMs' | 'pollCount'> {
  if (changed) return { phase: 'ACTIVE', nextInMs: nextPollMs(pollMs, 0), pollCount: 0 };
  const phase = phaseAfter(task);
  if (phase !== 'ACTIVE') return { phase, nextInMs: undefined, pollCount };
  if (task === 'watch') return { phase, nextInMs: Math.max(WATCH_INTERVAL_MS, pollMs), pollCount };
  const nextInMs = leftToReceiver ? nextPollForReceiverMs(pollMs, pollCount) : nextPollMs(pollMs, pollCount);
  return { phase, nextInMs, pollCount };
}

async function requestProgress(deps: DeliveryDeps, { delivery, transfer, signal }: Poll): Promise<Finding> {
  const source = sourceOf(deps, delivery);
  const bridgeTransfer = await readBridgeTransfer(deps, transfer, delivery);
  const state = await source.follow(bridgeTransfer, signal);
  const outcome = await decideDeliveryOutcome(deps, { transfer, bridgeTransfer, source, state, signal });
  return { outcome, deposit: delivery.deposit && observedDeposit(state), checkpoint: state.checkpoint };
}

/** Cancels an expired transfer whose provider has to be notified; `undefined` for every other one. */
async function cancelIfDue(deps: DeliveryDeps, { delivery, transfer, signal }: Poll): Promise<Finding | undefined> {
  const source = sourceOf(deps, delivery);
  if (source.cancel === undefined || transfer.expiresAt.getTime() > Date.now()) return undefined;
  if (!(await isDueToExpire(deps.database, transfer.actionId))) return undefined;
  const result = await source.cancel(await readBridgeTransfer(deps, transfer, delivery), signal);
  if (result === 'cancelled') return { outcome: { kind: 'expired' }, deposit: undefined, checkpoint: undefined };
  // The provider has seen a payment that this service has not: the action goes on.
  const outcome = { kind: 'wait', substatus: undefined, completion: undefined } as const;
  return { outcome, deposit: { txHash: undefined, final: true }, checkpoint: undefined };
}

function sourceOf({ sources }: DeliveryDeps, { provider }: ClaimedDelivery): DeliverySource {
  const source = sources.get(provider);
  invariant(source, `no delivery source is registered for ${provider}`);
  return source;
}
