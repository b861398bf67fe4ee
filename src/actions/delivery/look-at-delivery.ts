import type { Database } from '../../persistence/database';
import { invariant } from '../../errors/invariant-error';
import { describeFailure } from '../tracker/describe-failure';
import { applyVerdict, completionJson } from './apply-verdict';
import type { DeliveryDeps } from './delivery-deps';
import { type ClaimedDelivery, finishLook, holdClaim, postponeLook } from './due-deliveries';
import { depositOf, judge } from './judge';
import { nextLookAfterFailureMs, nextLookMs, WATCH_MS } from './next-look';
import { type Phase, phaseOf } from './phase';
import { shipmentOf } from './shipment';
import { readTransfer, type Transfer } from './transfer';
import { type SeenDeposit, type Verdict } from './verdict';

/** Longest that one look may take: shorter than its lease. */
const LOOK_MS = 20_000;

interface Answer {
  readonly verdict: Verdict;
  readonly deposit: SeenDeposit | undefined;
  readonly memory: unknown;
}

/**
 * Looks once at a delivery that this replica has claimed, and notes what it found: all of it in one transaction, or
 * nothing when the claim was lost meanwhile. A look that fails is logged and repeated later; it changes nothing.
 *
 * `stopping` ends the look at once and gives the delivery back.
 */
export async function lookAtDelivery(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  stopping: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { database, pollMs, log } = deps;
  try {
    await look(deps, delivery, AbortSignal.any([stopping, AbortSignal.timeout(LOOK_MS)]));
  } catch (error) {
    if (stopping.aborted) return giveBack(database, delivery);
    const { actionId, provider, looks } = delivery;
    const cause = describeFailure(error);
    log.warn({ actionId, provider, looks, cause }, 'a delivery could not be looked at');
    const nextInMs = nextLookAfterFailureMs(pollMs, looks);
    await postponeLook(database, delivery, { nextInMs, failure: `${cause.name}: ${cause.message}`.slice(0, 300) });
  }
}

const giveBack = (database: Database, delivery: ClaimedDelivery): Promise<void> =>
  postponeLook(database, delivery, { nextInMs: 0, failure: undefined });

async function look(deps: DeliveryDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const transfer = await readTransfer(deps.database, delivery.actionId);
  const phase = phaseOf(transfer, delivery.deposit !== undefined);
  const asks = phase === 'ask' || phase === 'watch';
  const answer = asks ? await within(signal, ask(deps, { delivery, transfer, signal })) : undefined;
  await deps.database.$transaction(async (tx) => {
    if (!(await holdClaim(tx, delivery))) return;
    const changed = answer !== undefined && (await applyVerdict(tx, { delivery, transfer, ...answer }));
    if (answer !== undefined && !changed) tellRefusal(deps, delivery, answer.verdict);
    const looks = changed ? 0 : delivery.looks;
    await finishLook(tx, delivery, {
      ...{ nextInMs: nextInMs(deps.pollMs, phase, looks), looks, memory: answer?.memory },
      completion: answer?.verdict.kind === 'wait' ? completionJson(answer.verdict.completion) : null,
    });
  });
}

/** A provider that names a transaction expects it to count. */
function tellRefusal({ log }: DeliveryDeps, { actionId, provider }: ClaimedDelivery, { kind }: Verdict): void {
  if (kind !== 'arrived' && kind !== 'delivered' && kind !== 'refunded') return;
  log.warn({ actionId, provider, kind }, 'an end of a transfer was not noted: it had ended, or another had the money');
}

function nextInMs(pollMs: number, phase: Phase, looks: number): number | undefined {
  if (phase === 'over' || phase === 'asleep') return undefined;
  return phase === 'watch' ? Math.max(WATCH_MS, pollMs) : nextLookMs(pollMs, looks);
}

interface Question {
  readonly delivery: ClaimedDelivery;
  readonly transfer: Transfer;
  readonly signal: AbortSignal;
}

async function ask(deps: DeliveryDeps, { delivery, transfer, signal }: Question): Promise<Answer> {
  const source = deps.sources.get(delivery.provider);
  invariant(source, `nobody follows the deliveries of ${delivery.provider}`);
  const shipment = await shipmentOf(deps, transfer, delivery);
  const state = await source.follow(shipment, signal);
  const verdict = await judge(deps, { transfer, shipment, source, state, signal });
  return { verdict, deposit: depositOf(state), memory: state.memory };
}

/** A provider that ignores its signal must not keep its place for ever. */
async function within<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let abort: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
