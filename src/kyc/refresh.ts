import { isDeepStrictEqual } from 'node:util';
import type { VerificationState } from '../ramps/identity-provider';
import type { RampId } from '../ramps/ramp-provider';
import type { IdentityDeps } from './identity-deps';
import type { ProfileKey } from './profile';
import { type AccountRow, accountAt } from './verification';

/** A ramp is asked about an account at most that often. */
const ASK_AGAIN_MS = 2000;
/** A ramp that has not answered by then is not waited for. */
const PATIENCE_MS = 5000;

export type RefreshDeps = Pick<IdentityDeps, 'database' | 'ramps' | 'log' | 'openQuestions' | 'isResting'>;

/**
 * Asks the ramp what it thinks of a person, unless it was asked a moment ago, and keeps the answer. When it cannot be asked
 * what is known stays. Whoever wants to know while it is being asked waits for the same answer, each as long as the own
 * signal lasts; an answer that nobody waits for any more is kept all the same. Steps that are open begin to be reviewed.
 */
export const refresh = (deps: RefreshDeps, row: AccountRow, signal: AbortSignal): Promise<void> =>
  askTogether(deps, { row, onlyLook: false }, signal);

/**
 * As `refresh`, where something is about to be refused for what is known: begins no review, since documents may be missing
 * yet, and never takes back that a submission is pending.
 */
export async function lookAgain(deps: RefreshDeps, row: AccountRow, signal: AbortSignal): Promise<void> {
  await askTogether(deps, { row, onlyLook: true }, signal);
}

/**
 * What is known of an account at a ramp, which is asked first where a submission is pending: it may have been decided since
 * anybody asked.
 */
export async function decidedAccountAt(
  deps: RefreshDeps,
  { key, ramp }: { readonly key: ProfileKey; readonly ramp: RampId },
  signal: AbortSignal,
): Promise<AccountRow | undefined> {
  const known = await accountAt(deps.database, key, ramp);
  if (known?.status !== 'provider_pending') return known;
  await lookAgain(deps, known, signal);
  return accountAt(deps.database, key, ramp);
}

/** For those who need no more of it. */
export const looking = (deps: RefreshDeps) => ({
  database: deps.database,
  lookAgain: (row: AccountRow, signal: AbortSignal): Promise<void> => lookAgain(deps, row, signal),
});

interface Question {
  readonly row: AccountRow;
  readonly onlyLook: boolean;
}

async function askTogether(deps: RefreshDeps, question: Question, signal: AbortSignal): Promise<void> {
  const { profileId, provider } = question.row;
  const text = `${provider} ${profileId}`;
  const { openQuestions } = deps;
  const asked = openQuestions.get(text);
  if (asked !== undefined) await untilAborted(asked, signal);
  if (signal.aborted) return;
  // What is told while a question is open outdates its answer: then it is asked once more.
  const open = openQuestions.get(text) ?? ask(deps, question).finally(() => openQuestions.delete(text));
  openQuestions.set(text, open);
  await untilAborted(open, signal);
}

/** Resolves when the work has ended, or nobody waits for it any more. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  await Promise.race([work, left]).finally(() => signal.removeEventListener('abort', leave));
}

async function ask(deps: RefreshDeps, { row, onlyLook }: Question): Promise<void> {
  const { accountId, attemptId, profileId: kycUserId, provider } = row;
  if (accountId === null || row.status === 'blocked' || deps.isResting(provider as RampId)) return;
  const askedAt = new Date();
  if (!(await mayAsk(deps.database, row, askedAt))) return;
  const account = { accountId, kycUserId, attemptId: attemptId ?? undefined };
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const state = await deps.ramps[provider as RampId].verificationState(account, patience, { onlyLook });
    if (onlyLook && row.status === 'provider_pending' && state.status === 'created') return;
    await keepState(deps.database, { row, askedAt }, state);
  } catch (err) {
    deps.log.warn({ err, provider }, 'a ramp could not be asked about a verification');
  }
}

type RampAccountTable = Pick<IdentityDeps['database'], 'rampAccount'>;

async function mayAsk({ rampAccount }: RampAccountTable, row: AccountRow, askedAt: Date): Promise<boolean> {
  const { profileId, provider, updatedAt } = row;
  const { count } = await rampAccount.updateMany({
    where: {
      profileId,
      provider,
      status: { not: 'blocked' },
      profile: { erasedAt: null },
      OR: [{ checkedAt: null }, { checkedAt: { lt: new Date(askedAt.getTime() - ASK_AGAIN_MS) } }],
    },
    data: { checkedAt: askedAt, updatedAt },
  });
  return count === 1;
}

interface Asked {
  readonly row: AccountRow;
  readonly askedAt: Date;
}

/** Keeps an answer, unless a submission has begun since the question. */
async function keepState({ rampAccount }: RampAccountTable, { row, askedAt }: Asked, state: VerificationState) {
  const { profileId, provider } = row;
  const { status, providerStatus = null, rejectReason = null, verificationLink = null, capabilities } = state;
  const verification = state.verification === undefined ? {} : { verification: state.verification };
  const known = { status, providerStatus, rejectReason, verificationLink, capabilities, ...verification };
  const isNews = Object.entries(known).some(
    ([name, value]) => !isDeepStrictEqual(row[name as keyof AccountRow], value),
  );
  if (!isNews) return;
  await rampAccount.updateMany({
    where: { profileId, provider, checkedAt: askedAt, status: { not: 'blocked' } },
    data: known as never,
  });
}
