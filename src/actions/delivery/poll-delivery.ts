import { invariant } from '../../errors/invariant-error';
import { anySignal } from '../../async/any-signal';
import type { Database, Transaction } from '../../persistence/database';
import type { DeliverySource } from '../../venues/delivery-source';
import { isDueToExpire } from '../state/expire-actions';
import { describeFailure } from '../../errors/describe-failure';
import { applyVerdict, completionJson } from './apply-outcome';
import type { DeliveryDeps } from './delivery-deps';
import { type ClaimedDelivery, finishLook, holdClaim, postponeLook } from './due-deliveries';
import { depositOf, judge } from './decide-outcome';
import { nextLookAfterFailureMs, nextLookMs, WATCH_MS } from './next-poll';
import { type Phase, phaseOf } from './poll-task';
import { shipmentOf } from './bridge-transfer';
import { readTransfer, type Transfer } from './transfer-action';
import { type SeenDeposit, type Verdict } from './outcome';

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
    await look(deps, delivery, anySignal(stopping, AbortSignal.timeout(LOOK_MS)));
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
  const phase = phaseOf(transfer, delivery);
  const question = { delivery, transfer, signal };
  const answer = await within(signal, answerTo(deps, question, phase));
  await deps.database.$transaction(async (tx) => {
    if (!(await holdClaim(tx, delivery))) return;
    const changed = answer !== undefined && (await applyVerdict(tx, { transfer, ...answer }));
    if (answer !== undefined && !changed) tellRefusal(deps, delivery, answer.verdict);
    if (phase === 'over') await closeCalls(tx, transfer);
    const { pollMs } = deps;
    const { looks } = delivery;
    const next = changed
      ? { nextInMs: nextLookMs(pollMs, 0), looks: 0 }
      : { nextInMs: nextInMs(pollMs, phase, looks), looks };
    await finishLook(tx, delivery, { ...next, memory: answer?.memory, completion: completionOf(answer) });
  });
}

const completionOf = (answer: Answer | undefined): object | null =>
  answer?.verdict.kind === 'wait' ? completionJson(answer.verdict.completion) : null;

const ASKING: ReadonlySet<Phase> = new Set(['ask', 'watch', 'giveBack']);

/** What there is to be noted; `undefined` when nobody has to be asked. */
async function answerTo(deps: DeliveryDeps, question: Question, phase: Phase): Promise<Answer | undefined> {
  const mayExpire = phase === 'ask' || phase === 'asleep';
  const calledOff = mayExpire ? await callOff(deps, question) : undefined;
  if (calledOff !== undefined) return calledOff;
  return ASKING.has(phase) ? ask(deps, question) : undefined;
}

/** Nothing looks for the transactions of an action any more. */
async function closeCalls(tx: Transaction, { actionId, status }: Transfer): Promise<void> {
  if (status === 'FAILED') await tx.actionCall.updateMany({ where: { actionId, open: true }, data: { open: false } });
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
  const source = sourceOf(deps, delivery);
  const shipment = await shipmentOf(deps, transfer, delivery);
  const state = await source.follow(shipment, signal);
  const verdict = await judge(deps, { transfer, shipment, source, state, signal });
  return { verdict, deposit: delivery.deposit && depositOf(state), memory: state.memory };
}

/** Of an action of which nothing was seen in time, where its provider has to be told; `undefined` of any other. */
async function callOff(deps: DeliveryDeps, { delivery, transfer, signal }: Question): Promise<Answer | undefined> {
  const source = sourceOf(deps, delivery);
  if (source.callOff === undefined || transfer.expiresAt.getTime() > Date.now()) return undefined;
  if (!(await isDueToExpire(deps.database, transfer.actionId))) return undefined;
  const outcome = await source.callOff(await shipmentOf(deps, transfer, delivery), signal);
  if (outcome === 'calledOff') return { verdict: { kind: 'expired' }, deposit: undefined, memory: undefined };
  // The provider has seen what nobody here has: it is carried on.
  const verdict = { kind: 'wait', substatus: undefined, completion: undefined } as const;
  return { verdict, deposit: { txHash: undefined, final: true }, memory: undefined };
}

function sourceOf({ sources }: DeliveryDeps, { provider }: ClaimedDelivery): DeliverySource {
  const source = sources.get(provider);
  invariant(source, `nobody follows the deliveries of ${provider}`);
  return source;
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
